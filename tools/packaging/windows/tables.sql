-- Tables and rows that wixl has no elements for. make_msi.py executes each paragraph as a statement.

-- The configuration: permanent (16), never overwritten (128), 64-bit (256).
UPDATE `Component` SET `Attributes`=400 WHERE `Component`='Configuration'

-- The old version is removed within the transaction: if the installation fails, it is put back.
INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('RemoveExistingProducts', 1501)

UPDATE `Property` SET `Value`='NEWER_VERSION;OLDER_VERSION;SLUICE_SERVICE;SLUICE_START' WHERE `Property`='SecureCustomProperties'

-- The folder of the service's account belongs to the system (SY) and administrators (BA); the account may
-- modify it (0x1301bf). S-1-5-80-... is NT SERVICE\sluice: the SHA-1 of the name in capital letters.
CREATE TABLE `MsiLockPermissionsEx` (`MsiLockPermissionsEx` CHAR(72) NOT NULL, `LockObject` CHAR(72) NOT NULL, `Table` CHAR(32) NOT NULL, `SDDLText` LONGCHAR NOT NULL, `Condition` CHAR(255) PRIMARY KEY `MsiLockPermissionsEx`)

INSERT INTO `MsiLockPermissionsEx` (`MsiLockPermissionsEx`, `LockObject`, `Table`, `SDDLText`) VALUES ('data', 'DATADIR', 'CreateFolder', 'D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;S-1-5-80-1288017535-95696226-433166439-2265323243-929133565)')

-- The programs can be called by their names: at the end (~;) of the system's (*) PATH, undone at the removal (-).
CREATE TABLE `Environment` (`Environment` CHAR(72) NOT NULL, `Name` CHAR(255) NOT NULL LOCALIZABLE, `Value` CHAR(255) LOCALIZABLE, `Component_` CHAR(72) NOT NULL PRIMARY KEY `Environment`)

INSERT INTO `Environment` (`Environment`, `Name`, `Value`, `Component_`) VALUES ('path', '=-*PATH', '[~];[INSTALLDIR]', 'Service')

INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('RemoveEnvironmentStrings', 3300)

INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('WriteEnvironmentStrings', 5200)

-- A failed service is started again, as "sluice service install" has it, and an upgrade keeps the type of
-- its start; a service that starts with the system is started again after an upgrade, which stops it. By
-- programs of Windows (34), as the system (2048), in the transaction (1024); errors are ignored (64).
INSERT INTO `CustomAction` (`Action`, `Type`, `Source`, `Target`) VALUES ('SetRestarts', 3170, 'INSTALLDIR', '"[System64Folder]sc.exe" failure sluice reset= 86400 actions= restart/5000/restart/30000/restart/60000')

INSERT INTO `CustomAction` (`Action`, `Type`, `Source`, `Target`) VALUES ('SetRestartsByCode', 3170, 'INSTALLDIR', '"[System64Folder]sc.exe" failureflag sluice 1')

INSERT INTO `CustomAction` (`Action`, `Type`, `Source`, `Target`) VALUES ('KeepStart', 3170, 'INSTALLDIR', '"[System64Folder]sc.exe" config sluice start= auto')

INSERT INTO `CustomAction` (`Action`, `Type`, `Source`, `Target`) VALUES ('StartAgain', 3170, 'INSTALLDIR', '"[System64Folder]sc.exe" start sluice')

INSERT INTO `InstallExecuteSequence` (`Action`, `Condition`, `Sequence`) VALUES ('SetRestarts', 'NOT REMOVE', 5801)

INSERT INTO `InstallExecuteSequence` (`Action`, `Condition`, `Sequence`) VALUES ('SetRestartsByCode', 'NOT REMOVE', 5802)

INSERT INTO `InstallExecuteSequence` (`Action`, `Condition`, `Sequence`) VALUES ('KeepStart', 'SLUICE_START="#2" AND NOT REMOVE', 5803)

INSERT INTO `InstallExecuteSequence` (`Action`, `Condition`, `Sequence`) VALUES ('StartAgain', 'SLUICE_START="#2" AND NOT REMOVE', 5901)
