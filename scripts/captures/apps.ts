/** Category of an app, in the words of Google Play in lower case; `gambling` stands apart from `game`. */
export type AppCategory =
  | 'communication'
  | 'social'
  | 'finance'
  | 'gambling'
  | 'game'
  | 'productivity'
  | 'business'
  | 'education'
  | 'shopping'
  | 'entertainment'
  | 'music'
  | 'tools'
  | 'photography'
  | 'maps'
  | 'travel'
  | 'food'
  | 'health'
  | 'news'
  | 'lifestyle'

/** One app that people install. */
export interface App {
  readonly package: string
  readonly category: AppCategory
  /** Share of phones that have it where it is offered, 0 to 1, before personal preference. */
  readonly reach: number
  /** Countries where it is used; everywhere when absent. */
  readonly countries?: readonly string[]
}

type Row = readonly [packageName: string, reach: number, countries?: string]

const apps = (category: AppCategory, rows: readonly Row[]): readonly App[] =>
  rows.map(([name, reach, countries]) => ({
    package: name,
    category,
    reach,
    ...(countries === undefined ? {} : { countries: countries.split(' ') }),
  }))

/**
 * Popular apps by their package name on Google Play, with a rounded guess of their reach.
 *
 * @see https://play.google.com/store/apps for packages, categories and installs
 */
// biome-ignore format: several rows a line
export const APPS: readonly App[] = [
  ...apps('communication', [
    ['com.whatsapp', 0.86], ['com.facebook.orca', 0.62], ['org.telegram.messenger', 0.42],
    ['com.viber.voip', 0.18], ['com.discord', 0.16], ['com.truecaller', 0.2], ['us.zoom.videomeetings', 0.24],
    ['org.thoughtcrime.securesms', 0.05], ['com.imo.android.imoim', 0.1], ['com.whatsapp.w4b', 0.14],
    ['com.zing.zalo', 0.92, 'VN'], ['jp.naver.line.android', 0.12, 'ID PH US'],
    ['com.microsoft.office.outlook', 0.14], ['com.yahoo.mobile.client.android.mail', 0.1],
    ['org.mozilla.firefox', 0.07], ['com.opera.mini.native', 0.22, 'NG KE ZA IN ID PH'],
    ['com.opera.browser', 0.1], ['com.brave.browser', 0.05], ['com.UCMobile.intl', 0.1, 'IN ID VN NG'],
    ['com.tencent.mm', 0.04], ['com.google.android.apps.messaging', 0.5],
  ]),
  ...apps('social', [
    ['com.facebook.katana', 0.8], ['com.instagram.android', 0.66], ['com.zhiliaoapp.musically', 0.6],
    ['com.ss.android.ugc.trill', 0.5, 'PH ID VN'],
    ['com.facebook.lite', 0.32, 'PH ID IN NG KE MX PE CO BR VN ZA'], ['com.twitter.android', 0.26],
    ['com.snapchat.android', 0.22], ['com.linkedin.android', 0.17], ['com.reddit.frontpage', 0.1],
    ['com.pinterest', 0.2], ['com.tinder', 0.08], ['com.bumble.app', 0.04], ['com.badoo.mobile', 0.04],
    ['com.kwai.video', 0.25, 'BR MX CO PE'], ['in.mohalla.sharechat', 0.2, 'IN'],
    ['com.instagram.barcelona', 0.18], ['com.bigo.live', 0.06], ['com.vkontakte.android', 0.02],
  ]),
  ...apps('finance', [
    ['com.globe.gcash.android', 0.88, 'PH'], ['com.paymaya', 0.55, 'PH'], ['com.bpi.ng.app', 0.16, 'PH'],
    ['ph.com.gotyme', 0.25, 'PH'], ['com.unionbankph.online', 0.13, 'PH'], ['id.dana', 0.62, 'ID'],
    ['ovo.id', 0.4, 'ID'], ['com.bca', 0.36, 'ID'], ['src.com.bni', 0.2, 'ID'],
    ['id.co.bri.brimo', 0.42, 'ID'], ['com.jago.digitalBanking', 0.2, 'ID'], ['id.bmri.livin', 0.3, 'ID'],
    ['com.finaccel.android', 0.12, 'ID'], ['io.silvrr.installment', 0.12, 'ID'],
    ['com.indodana.app', 0.06, 'ID'], ['com.mservice.momotransfer', 0.7, 'VN'],
    ['vn.com.vng.zalopay', 0.4, 'VN'], ['com.VCB', 0.4, 'VN'], ['com.mbmobile', 0.38, 'VN'],
    ['vn.com.techcombank.bb.app', 0.3, 'VN'], ['com.bplus.vtpay', 0.2, 'VN'], ['com.phonepe.app', 0.75, 'IN'],
    ['net.one97.paytm', 0.6, 'IN'], ['com.google.android.apps.nbu.paisa.user', 0.7, 'IN'],
    ['com.sbi.lotusintouch', 0.28, 'IN'], ['com.csam.icici.bank.imobile', 0.16, 'IN'],
    ['com.naviapp', 0.14, 'IN'], ['com.mobikwik_new', 0.08, 'IN'], ['com.bancomer.mbanking', 0.46, 'MX'],
    ['com.mercadopago.wallet', 0.5, 'MX BR CO PE'], ['com.citibanamex.banamexmobile', 0.16, 'MX'],
    ['mx.com.bancoazteca.bazdigitalmovil', 0.2, 'MX'], ['com.nu.production', 0.52, 'BR MX CO'],
    ['com.itau', 0.34, 'BR'], ['com.bradesco', 0.3, 'BR'], ['br.com.gabba.Caixa', 0.36, 'BR'],
    ['br.com.intermedium', 0.3, 'BR'], ['com.picpay', 0.4, 'BR'], ['com.c6bank.app', 0.2, 'BR'],
    ['com.nequi.MobileApp', 0.66, 'CO'], ['com.todo1.mobile', 0.42, 'CO'],
    ['com.davivienda.daviplataapp', 0.5, 'CO'], ['com.bcp.innovacxion.yapeapp', 0.72, 'PE'],
    ['com.bcp.bank.bcp', 0.4, 'PE'], ['pe.com.interbank.mobilebanking', 0.26, 'PE'],
    ['team.opay.pay', 0.7, 'NG'], ['com.transsnet.palmpay', 0.52, 'NG'], ['com.kuda.android', 0.3, 'NG'],
    ['com.gtbank.gtworldv1', 0.2, 'NG'], ['com.safaricom.mysafaricom', 0.5, 'KE'],
    ['com.safaricom.mpesa.lifestyle', 0.62, 'KE'], ['com.inventureaccess.safarirahisi', 0.2, 'KE PH MX'],
    ['com.branch_international.branch.branch_demo_android', 0.16, 'KE NG IN'],
    ['ke.co.equitygroup.equitymobile', 0.2, 'KE'], ['za.co.fnb.connect.itt', 0.28, 'ZA'],
    ['capitecbank.remote.prd', 0.5, 'ZA'], ['pl.pkobp.iko', 0.36, 'PL'], ['pl.mbank', 0.24, 'PL'],
    ['com.revolut.revolut', 0.22, 'PL ES GB US'], ['es.bancosantander.apps', 0.24, 'ES'],
    ['com.bbva.bbvacontigo', 0.22, 'ES'], ['es.caixabank.caixabanksign', 0.26, 'ES'],
    ['co.uk.getmondo', 0.26, 'GB'], ['com.barclays.android.barclaysmobilebanking', 0.26, 'GB'],
    ['com.starlingbank.android', 0.14, 'GB'], ['com.chase.sig.android', 0.3, 'US'],
    ['com.squareup.cash', 0.36, 'US GB'], ['com.venmo', 0.34, 'US'], ['com.zellepay.zelle', 0.12, 'US'],
    ['com.paypal.android.p2pmobile', 0.28, 'US GB ES PL MX BR PH'], ['com.wise', 0.06],
    ['com.binance.dev', 0.12], ['com.coinbase.android', 0.05], ['com.westernunion.moneytransfer', 0.04],
  ]),
  ...apps('gambling', [
    ['com.sportybet.android', 0.2, 'NG KE ZA'],
    ['com.bet365Wrapper.Bet365_Application', 0.05, 'GB ES MX BR CO'],
    ['org.xbet.client1', 0.08, 'IN BR PE CO MX NG KE'],
    ['com.dream11.fantasy.cricket.football.kabaddi', 0.16, 'IN'],
    ['com.games24x7.my11circle.fantasycricket', 0.06, 'IN'], ['com.draftkings.sportsbook', 0.06, 'US'],
    ['com.playtika.wsop.gp', 0.02], ['com.neptune.domino', 0.14, 'ID'],
  ]),
  ...apps('game', [
    ['com.mobile.legends', 0.34, 'PH ID VN BR'], ['com.dts.freefireth', 0.26, 'ID VN MX BR CO PE IN'],
    ['com.tencent.ig', 0.12], ['com.garena.game.kgvn', 0.24, 'VN'], ['com.pubg.imobile', 0.2, 'IN'],
    ['com.activision.callofduty.shooter', 0.1], ['com.roblox.client', 0.2], ['com.king.candycrushsaga', 0.16],
    ['com.kiloo.subwaysurf', 0.16], ['com.supercell.clashofclans', 0.1], ['com.supercell.clashroyale', 0.08],
    ['com.supercell.brawlstars', 0.07], ['com.ludo.king', 0.1], ['com.mojang.minecraftpe', 0.07],
    ['com.dreamgames.royalmatch', 0.06], ['com.scopely.monopolygo', 0.05],
    ['com.miniclip.eightballpool', 0.12], ['com.block.juggle', 0.14], ['com.chess', 0.06],
    ['com.nianticlabs.pokemongo', 0.05], ['com.innersloth.spacemafia', 0.05],
    ['com.playrix.homescapes', 0.05], ['com.outfit7.mytalkingtom2', 0.07], ['com.ea.gp.fifamobile', 0.1],
    ['jp.konami.pesam', 0.12],
  ]),
  ...apps('productivity', [
    ['com.microsoft.office.word', 0.16], ['com.microsoft.office.excel', 0.14],
    ['com.google.android.apps.docs.editors.docs', 0.2], ['com.google.android.apps.docs.editors.sheets', 0.18],
    ['cn.wps.moffice_eng', 0.14], ['com.adobe.reader', 0.16], ['com.dropbox.android', 0.06],
    ['notion.id', 0.04], ['com.todoist', 0.02], ['com.evernote', 0.02], ['com.intsig.camscanner', 0.1],
    ['com.google.android.keep', 0.18], ['com.microsoft.skydrive', 0.12], ['com.openai.chatgpt', 0.28],
    ['com.google.android.apps.bard', 0.2],
  ]),
  ...apps('business', [
    ['com.microsoft.teams', 0.14], ['com.Slack', 0.04], ['com.google.android.apps.meetings', 0.2],
    ['com.indeed.android.jobsearch', 0.07], ['com.facebook.pages.app', 0.06],
    ['com.grabtaxi.driver2', 0.03, 'PH ID VN'], ['com.ubercab.driver', 0.04],
    ['com.gojek.partner', 0.03, 'ID'], ['com.jobstreet.jobstreet', 0.06, 'PH ID VN'],
    ['in.apna.jobs', 0.06, 'IN'], ['com.redarbor.computrabajo', 0.08, 'MX CO PE'],
  ]),
  ...apps('education', [
    ['com.duolingo', 0.14], ['com.google.android.apps.classroom', 0.14], ['co.brainly', 0.06, 'ID PH BR PL'],
    ['com.ruangguru.livestudents', 0.06, 'ID'], ['com.byjus.thelearningapp', 0.03, 'IN'],
    ['org.khanacademy.android', 0.03], ['com.quizlet.quizletandroid', 0.05], ['org.coursera.android', 0.02],
    ['com.udemy.android', 0.02], ['no.mobitroll.kahoot.android', 0.04], ['com.microblink.photomath', 0.05],
  ]),
  ...apps('shopping', [
    ['com.shopee.ph', 0.72, 'PH'], ['com.shopee.id', 0.66, 'ID'], ['com.shopee.vn', 0.7, 'VN'],
    ['com.shopee.br', 0.5, 'BR'], ['com.lazada.android', 0.46, 'PH ID VN'], ['com.tokopedia.tkpd', 0.5, 'ID'],
    ['com.flipkart.android', 0.56, 'IN'], ['in.amazon.mShop.android.shopping', 0.5, 'IN'],
    ['com.meesho.supply', 0.4, 'IN'], ['com.mercadolibre', 0.62, 'MX BR CO PE'],
    ['com.amazon.mShop.android.shopping', 0.36, 'US GB ES MX PL BR'], ['com.einnovation.temu', 0.3],
    ['com.zzkko', 0.24], ['com.alibaba.aliexpresshd', 0.16], ['com.jumia.android', 0.2, 'NG KE'],
    ['pl.allegro', 0.62, 'PL'], ['pl.tablica', 0.3, 'PL'], ['fr.vinted', 0.22, 'PL ES GB'],
    ['com.wallapop', 0.26, 'ES'], ['com.takealot.android', 0.24, 'ZA'], ['com.ebay.mobile', 0.1, 'GB US'],
    ['com.thecarousell.Carousell', 0.12, 'PH ID'], ['com.walmart.android', 0.3, 'US MX'],
  ]),
  ...apps('entertainment', [
    ['com.netflix.mediaclient', 0.36], ['com.disney.disneyplus', 0.12],
    ['com.amazon.avod.thirdpartyclient', 0.14], ['com.vuclip.viu', 0.06, 'PH ID ZA'],
    ['in.startv.hotstar', 0.4, 'IN'], ['com.vidio.android', 0.12, 'ID'],
    ['com.showmax.app', 0.08, 'ZA NG KE'], ['com.tubitv', 0.08, 'MX US BR'], ['tv.twitch.android.app', 0.07],
    ['com.mxtech.videoplayer.ad', 0.2, 'IN NG ID'], ['org.videolan.vlc', 0.1], ['com.wattpad', 0.06, 'PH ID'],
    ['com.lemon.lvoverseas', 0.32], ['com.iqiyi.i18n', 0.06, 'PH ID VN'], ['com.globo.globotv', 0.1, 'BR'],
  ]),
  ...apps('music', [
    ['com.spotify.music', 0.42], ['com.shazam.android', 0.08], ['com.soundcloud.android', 0.06],
    ['com.afmobi.boomplayer', 0.24, 'NG KE'], ['com.audiomack', 0.2, 'NG KE ZA'], ['com.gaana', 0.08, 'IN'],
    ['com.jio.media.jiobeats', 0.1, 'IN'], ['com.starmakerinteractive.starmaker', 0.07, 'PH ID IN'],
    ['deezer.android.app', 0.05, 'BR'], ['com.zing.mp3', 0.42, 'VN'],
  ]),
  ...apps('tools', [
    ['com.lenovo.anyshare.gps', 0.22, 'IN ID PH NG KE'], ['com.google.android.apps.translate', 0.3],
    ['com.google.android.apps.authenticator2', 0.12], ['com.cloudflare.onedotonedotonedotone', 0.04],
    ['com.nordvpn.android', 0.04], ['free.vpn.unblock.proxy.turbovpn', 0.06], ['com.rarlab.rar', 0.1],
    ['com.google.android.apps.nbu.files', 0.4], ['com.touchtype.swiftkey', 0.1],
    ['com.teamviewer.quicksupport.market', 0.02], ['com.anydesk.anydeskandroid', 0.03],
    ['com.smart.consumer.app', 0.3, 'PH'], ['com.telkomsel.telkomselcm', 0.44, 'ID'],
    ['com.jio.myjio', 0.5, 'IN'], ['com.myairtelapp', 0.36, 'IN NG KE'], ['com.microsoft.appmanager', 0.05],
    ['com.azure.authenticator', 0.07],
  ]),
  ...apps('photography', [
    ['com.picsart.studio', 0.14], ['com.canva.editor', 0.2], ['com.adobe.lrmobile', 0.05],
    ['com.niksoftware.snapseed', 0.1], ['com.camerasideas.instashot', 0.16],
    ['com.linecorp.b612.android', 0.1], ['com.campmobile.snow', 0.05], ['com.vsco.cam', 0.04],
    ['com.xt.retouchoversea', 0.08],
  ]),
  ...apps('maps', [
    ['com.waze', 0.24, 'PH ID MX BR CO PE US ZA PL ES'], ['com.grabtaxi.passenger', 0.44, 'PH ID VN'],
    ['com.gojek.app', 0.5, 'ID'], ['com.ubercab', 0.3], ['com.olacabs.customer', 0.2, 'IN'],
    ['sinet.startup.inDriver', 0.22, 'MX CO PE BR NG KE'], ['ee.mtakso.client', 0.24, 'NG KE ZA PL'],
    ['com.taxis99', 0.36, 'BR'], ['com.didiglobal.passenger', 0.3, 'MX CO PE'],
    ['com.rapido.passenger', 0.24, 'IN'], ['xyz.be.customer', 0.2, 'VN'],
  ]),
  ...apps('travel', [
    ['com.booking', 0.1], ['com.agoda.mobile.consumer', 0.08, 'PH ID VN'],
    ['com.traveloka.android', 0.14, 'ID VN PH'], ['com.airbnb.android', 0.08],
    ['in.redbus.android', 0.08, 'IN'], ['cris.org.in.prs.ima', 0.2, 'IN'],
    ['com.despegar', 0.05, 'MX CO PE BR'],
  ]),
  ...apps('food', [
    ['com.global.foodpanda.android', 0.24, 'PH'], ['com.ubercab.eats', 0.16, 'MX US GB ZA ES PL'],
    ['in.swiggy.android', 0.26, 'IN'], ['com.application.zomato', 0.24, 'IN'],
    ['br.com.brainweb.ifood', 0.5, 'BR'], ['com.grability.rappi', 0.34, 'MX CO PE BR'],
    ['com.mcdonalds.mobileapp', 0.16], ['com.glovo', 0.16, 'NG KE ES PL'],

  ]),
  ...apps('health', [
    ['com.sec.android.app.shealth', 0.2], ['com.strava', 0.05], ['com.myfitnesspal.android', 0.03],
    ['com.popularapp.periodcalendar', 0.07], ['org.iggymedia.periodtracker', 0.06],
    ['com.linkdokter.halodoc.android', 0.1, 'ID'], ['com.mi.health', 0.06], ['com.calm.android', 0.02],
  ]),
  ...apps('news', [
    ['com.nis.app', 0.06, 'IN'], ['com.eterno', 0.08, 'IN'], ['bbc.mobile.news.ww', 0.05],
    ['com.opera.app.news', 0.1, 'NG KE ZA'], ['com.particlenews.newsbreak', 0.05, 'US'],
    ['org.detikcom.rss', 0.06, 'ID'], ['flipboard.app', 0.04],
  ]),
  ...apps('lifestyle', [
    ['com.sirma.mobile.bible.android', 0.16, 'PH NG KE ZA US BR CO'],
    ['com.bitsmedia.android.muslimpro', 0.14, 'ID NG'], ['com.urbanclap.urbanclap', 0.06, 'IN'],
    ['com.iherb', 0.03], ['com.ikea.app', 0.03, 'PL ES GB US'], ['com.olx.southasia', 0.1, 'IN'],
    ['com.google.android.apps.chromecast.app', 0.06],
  ]),
]
