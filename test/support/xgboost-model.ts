/** A model of XGBoost 1.7.4 as written by save_model, without the members that only training needs. */
export const XGBOOST = `{"learner":{"attributes":{"best_iteration":"1"},"feature_names":["age","grade","load"],
"gradient_booster":{"model":{"gbtree_model_param":{"num_parallel_tree":"1","num_trees":"2","size_leaf_vector":"0"},"trees":[
{"categories":[0,1,3,4,4],"categories_nodes":[1,2],"categories_segments":[0,4],"categories_sizes":[4,1],
"default_left":[1,1,1,0,0,0,0],"left_children":[1,3,5,-1,-1,-1,-1],"right_children":[2,4,6,-1,-1,-1,-1],
"split_conditions":[2.4E-1,NaN,NaN,1.076555E0,-3.177502E-1,1.1479154E0,-1.767389E-1],"split_indices":[0,1,1,0,0,0,0],
"split_type":[0,1,1,0,0,0,0],"sum_hessian":[1.0500001E2,6.3210003E1,4.179E1,9.450001E0,5.3760002E1,3.402E1,7.7700005E0]},
{"categories":[0,1,4,4],"categories_nodes":[1,2],"categories_segments":[0,3],"categories_sizes":[3,1],
"default_left":[0,1,1,0,0,0,0],"left_children":[1,3,5,-1,-1,-1,-1],"right_children":[2,4,6,-1,-1,-1,-1],
"split_conditions":[-5.9E-1,NaN,NaN,-1.75712E-1,-5.747172E-1,3.9899307E-1,-3.620029E-1],"split_indices":[0,1,1,0,0,0,0],
"split_type":[0,1,1,0,0,0,0],"sum_hessian":[1.0428929E2,2.0293062E1,8.399622E1,7.0635943E0,1.3229468E1,6.9734955E1,1.4261268E1]}
]},"name":"gbtree"},"learner_model_param":{"base_score":"3E-1","num_class":"0","num_feature":"3","num_target":"1"},
"objective":{"name":"binary:logistic"}},"version":[1,7,4]}`

/** The same model, as written by dump_model(dump_format='json', with_stats=True). */
export const XGBOOST_DUMP = `[
{"nodeid":0,"depth":0,"split":"age","split_condition":0.239999995,"yes":1,"no":2,"missing":1,"gain":102.139893,"cover":105.000008,"children":[
 {"nodeid":1,"depth":1,"split":"grade","split_condition":[0,1,3,4],"yes":4,"no":3,"missing":3,"gain":68.2042084,"cover":63.2100029,"children":[
  {"nodeid":3,"leaf":1.07655501,"cover":9.45000076},{"nodeid":4,"leaf":-0.317750186,"cover":53.7600021}]},
 {"nodeid":2,"depth":1,"split":"grade","split_condition":[4],"yes":6,"no":5,"missing":5,"gain":46.0383759,"cover":41.7900009,"children":[
  {"nodeid":5,"leaf":1.14791536,"cover":34.0200005},{"nodeid":6,"leaf":-0.176738903,"cover":7.77000046}]}]},
{"nodeid":0,"depth":0,"split":"age","split_condition":-0.589999974,"yes":1,"no":2,"missing":2,"gain":35.0170441,"cover":104.289291,"children":[
 {"nodeid":1,"depth":1,"split":"grade","split_condition":[0,1,4],"yes":4,"no":3,"missing":3,"gain":2.50191498,"cover":20.2930622,"children":[
  {"nodeid":3,"leaf":-0.175712004,"cover":7.06359434},{"nodeid":4,"leaf":-0.574717224,"cover":13.2294683}]},
 {"nodeid":2,"depth":1,"split":"grade","split_condition":[4],"yes":6,"no":5,"missing":5,"gain":28.7964287,"cover":83.9962234,"children":[
  {"nodeid":5,"leaf":0.398993075,"cover":69.7349548},{"nodeid":6,"leaf":-0.362002909,"cover":14.2612677}]}]}]`

type Row = [age: number | undefined, grade: number | undefined, load: number | undefined]

/** Predictions of XGBoost 1.7.4: probability, margin, contributions of age and grade (approx_contribs). */
export const XGBOOST_ROWS: [Row, probability: number, margin: number, age: number, grade: number][] = [
  [
    [0.23999999463558197, 2, 3.25],
    0.66810142993927,
    0.6996105909347534,
    0.7458776235580444,
    0.37549787759780884,
  ],
  [
    [0.23999997973442078, 2, 3.25],
    0.6520926356315613,
    0.628250241279602,
    -0.26504451036453247,
    1.3150596618652344,
  ],
  [[undefined, 4, 9.5], 0.17842558026313782, -1.5270509719848633, -0.26504451036453247, -0.840241551399231],
  [[-1.25, 0, 0.1], 0.14934276044368744, -1.7397651672363281, -0.9706639051437378, -0.34733638167381287],
  [[1.5, undefined, 7], 0.66810142993927, 0.6996105909347534, 0.7458776235580444, 0.37549787759780884],
  [[0.1, 3, undefined], 0.3173331320285797, -0.7660549283027649, -0.26504451036453247, -0.07924553751945496],
  [[0.3, 7, 5], 0.66810142993927, 0.6996105909347534, 0.7458776235580444, 0.37549787759780884],
  [[2, 4, -0.59], 0.20004074275493622, -1.3860397338867188, 0.7458776235580444, -1.7101523876190186],
  [[0.2, -1, 1], 0.6520926356315613, 0.628250241279602, -0.26504451036453247, 1.3150596618652344],
]
