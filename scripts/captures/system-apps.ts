/**
 * Packages of Google Mobile Services and of the platform; `updatable` ones get new versions from Google
 * Play.
 */
// biome-ignore format: several rows a line
export const PLATFORM_APPS: readonly (readonly [packageName: string, category: string, updatable: boolean])[] = [
  ['com.google.android.gms', 'tools', true], ['com.android.vending', 'tools', true],
  ['com.android.chrome', 'communication', true], ['com.google.android.youtube', 'entertainment', true],
  ['com.google.android.gm', 'communication', true], ['com.google.android.apps.maps', 'maps', true],
  ['com.google.android.apps.photos', 'photography', true],
  ['com.google.android.googlequicksearchbox', 'tools', true], ['com.google.android.webview', 'tools', true],
  ['com.google.android.calendar', 'productivity', true],
  ['com.google.android.apps.docs', 'productivity', true],
  ['com.google.android.inputmethod.latin', 'tools', true],
  ['com.google.android.apps.tachyon', 'communication', true],
  ['com.google.android.apps.youtube.music', 'music', true], ['com.google.android.tts', 'tools', true],
  ['com.google.android.dialer', 'communication', true],
  ['com.google.android.contacts', 'communication', true], ['com.google.android.deskclock', 'tools', true],
  ['com.google.android.calculator', 'tools', true], ['com.google.android.apps.wellbeing', 'tools', true],
  ['com.google.android.apps.walletnfcrel', 'finance', true], ['com.google.ar.core', 'tools', true],
  ['com.google.android.videos', 'entertainment', true], ['com.google.android.marvin.talkback', 'tools', true],
  ['com.google.android.projection.gearhead', 'tools', true], ['com.google.android.gsf', 'system', false],
  ['com.google.android.packageinstaller', 'system', false],
  ['com.google.android.permissioncontroller', 'system', false],
  ['com.google.android.setupwizard', 'system', false], ['com.google.android.ext.services', 'system', false],
  ['com.google.android.modulemetadata', 'system', false],
  ['com.google.android.partnersetup', 'system', false],
  ['com.google.android.syncadapters.calendar', 'system', false],
  ['com.google.android.syncadapters.contacts', 'system', false],
  ['com.google.android.feedback', 'system', false],
  ['com.google.android.printservice.recommendation', 'system', false],
  ['com.google.android.onetimeinitializer', 'system', false],
  ['com.google.android.configupdater', 'system', false],
  ['com.google.android.captiveportallogin', 'system', false], ['android', 'system', false],
  ['com.android.settings', 'system', false], ['com.android.systemui', 'system', false],
  ['com.android.phone', 'system', false], ['com.android.server.telecom', 'system', false],
  ['com.android.shell', 'system', false], ['com.android.bluetooth', 'system', false],
  ['com.android.nfc', 'system', false], ['com.android.stk', 'system', false],
  ['com.android.keychain', 'system', false], ['com.android.location.fused', 'system', false],
  ['com.android.vpndialogs', 'system', false], ['com.android.certinstaller', 'system', false],
  ['com.android.proxyhandler', 'system', false], ['com.android.pacprocessor', 'system', false],
  ['com.android.providers.calendar', 'system', false], ['com.android.providers.contacts', 'system', false],
  ['com.android.providers.downloads', 'system', false], ['com.android.providers.media', 'system', false],
  ['com.android.providers.settings', 'system', false], ['com.android.providers.telephony', 'system', false],
  ['com.android.providers.userdictionary', 'system', false],
  ['com.android.providers.blockednumber', 'system', false], ['com.android.externalstorage', 'system', false],
  ['com.android.mtp', 'system', false], ['com.android.printspooler', 'system', false],
  ['com.android.cellbroadcastreceiver', 'system', false],
  ['com.android.managedprovisioning', 'system', false],
  ['com.android.companiondevicemanager', 'system', false], ['com.android.documentsui', 'system', false],
  ['com.android.storagemanager', 'system', false], ['com.android.wallpaperbackup', 'system', false],
  ['com.android.backupconfirm', 'system', false], ['com.android.sharedstoragebackup', 'system', false],
  ['com.android.inputdevices', 'system', false], ['com.android.se', 'system', false],
  ['com.android.hotspot2', 'system', false], ['com.android.mms.service', 'system', false],
  ['com.android.simappdialog', 'system', false], ['com.android.dreams.basic', 'system', false],
  ['com.android.traceur', 'system', false], ['com.android.carrierconfig', 'system', false],
  ['com.android.emergency', 'system', false], ['com.android.htmlviewer', 'system', false],
  ['com.android.internal.display.cutout.emulation.tall', 'system', false],
]

/** Packages of the manufacturers, by brand family. */
// biome-ignore format: several names a line
const MAKER_APPS: Readonly<Record<string, readonly string[]>> = {
  samsung: [
    'com.sec.android.app.launcher', 'com.sec.android.gallery3d', 'com.sec.android.app.camera',
    'com.samsung.android.messaging', 'com.samsung.android.dialer', 'com.samsung.android.app.contacts',
    'com.samsung.android.calendar', 'com.samsung.android.lool', 'com.sec.android.app.samsungapps',
    'com.samsung.android.game.gamehome', 'com.samsung.android.app.notes', 'com.sec.android.app.myfiles',
    'com.samsung.android.oneconnect', 'com.samsung.android.bixby.agent', 'com.samsung.knox.securefolder',
    'com.samsung.android.themestore', 'com.sec.android.app.clockpackage',
    'com.sec.android.app.popupcalculator', 'com.samsung.android.honeyboard',
    'com.samsung.android.mobileservice', 'com.samsung.android.scloud', 'com.samsung.android.app.routines',
    'com.samsung.android.fmm', 'com.samsung.android.kgclient', 'com.wssyncmldm', 'com.sec.android.soagent',
    'com.samsung.android.smartface', 'com.samsung.android.app.tips', 'com.sec.android.daemonapp',
    'com.samsung.android.aremoji',
  ],
  xiaomi: [
    'com.miui.home', 'com.miui.gallery', 'com.android.camera', 'com.miui.securitycenter',
    'com.miui.cleanmaster', 'com.xiaomi.mipicks', 'com.miui.notes', 'com.miui.calculator',
    'com.mi.globalbrowser', 'com.miui.videoplayer', 'com.miui.player', 'com.mi.android.globalminusscreen',
    'com.miui.weather2', 'com.xiaomi.account', 'com.xiaomi.finddevice', 'com.miui.cloudservice',
    'com.miui.msa.global', 'com.miui.analytics', 'com.xiaomi.xmsf', 'com.android.thememanager',
    'com.miui.daemon', 'com.miui.bugreport', 'com.xiaomi.scanner', 'com.xiaomi.joyose',
    'com.miui.powerkeeper',
  ],
  oppo: [
    'com.oppo.launcher', 'com.coloros.gallery3d', 'com.oppo.camera', 'com.coloros.phonemanager',
    'com.coloros.filemanager', 'com.coloros.weather2', 'com.heytap.market', 'com.heytap.browser',
    'com.heytap.cloud', 'com.coloros.calculator', 'com.coloros.alarmclock', 'com.coloros.safecenter',
    'com.coloros.gamespace', 'com.oplus.games', 'com.coloros.backuprestore', 'com.coloros.oshare',
    'com.heytap.themestore', 'com.coloros.assistantscreen', 'com.oplus.battery', 'com.oplus.ota',
    'com.coloros.video',
  ],
  vivo: [
    'com.bbk.launcher2', 'com.vivo.gallery', 'com.android.camera', 'com.iqoo.secure', 'com.vivo.browser',
    'com.vivo.appstore', 'com.android.filemanager', 'com.vivo.weather', 'com.android.notes',
    'com.vivo.easyshare', 'com.bbk.theme', 'com.bbk.account', 'com.bbk.cloud', 'com.vivo.game',
    'com.vivo.hiboard', 'com.vivo.abe', 'com.vivo.pem', 'com.bbk.updater',
  ],
  transsion: [
    'com.transsion.hilauncher', 'com.gallery20', 'com.mediatek.camera', 'com.transsion.phonemaster',
    'com.transsnet.store', 'com.transsion.filemanagerx', 'com.transsion.carlcare', 'com.hoffnung',
    'com.transsion.calculator', 'com.transsion.deskclock', 'com.transsion.notebook',
    'com.transsion.aivoiceassistant', 'com.talpa.hibrowser', 'com.rlk.weathers', 'com.transsion.systemupdate',
    'com.transsion.XOSLauncher', 'com.transsion.letswitch', 'com.transsion.magicfont', 'net.bat.store',
    'com.transsion.kolun.aiservice',
  ],
  motorola: [
    'com.motorola.launcher3', 'com.motorola.camera3', 'com.motorola.moto', 'com.motorola.actions',
    'com.motorola.ccc.ota', 'com.motorola.help', 'com.motorola.timeweatherwidget', 'com.motorola.gamemode',
    'com.motorola.genie', 'com.motorola.dimo', 'com.motorola.securityhub', 'com.motorola.personalize',
    'com.motorola.mobiledesktop.core',
  ],
  google: [
    'com.google.android.apps.nexuslauncher', 'com.google.android.GoogleCamera',
    'com.google.android.apps.recorder', 'com.google.android.apps.safetyhub',
    'com.google.android.apps.subscriptions.red', 'com.google.android.apps.pixelmigrate',
    'com.google.android.as', 'com.google.android.as.oss', 'com.google.android.settings.intelligence',
    'com.google.android.apps.wallpaper', 'com.google.android.apps.turbo', 'com.google.android.tag',
    'com.google.android.euicc', 'com.google.pixel.livewallpaper',
  ],
}

const FAMILY_OF_BRAND: Readonly<Record<string, string>> = {
  samsung: 'samsung',
  Redmi: 'xiaomi',
  POCO: 'xiaomi',
  Xiaomi: 'xiaomi',
  OPPO: 'oppo',
  realme: 'oppo',
  vivo: 'vivo',
  Infinix: 'transsion',
  TECNO: 'transsion',
  motorola: 'motorola',
  google: 'google',
}

/**
 * Lists the packages that a manufacturer adds to the system image; empty for an unknown brand.
 */
export function listMakerApps(brand: string): readonly string[] {
  return MAKER_APPS[FAMILY_OF_BRAND[brand] ?? ''] ?? []
}
