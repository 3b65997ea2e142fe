package app

import (
	"paraph/app/backup"
	"paraph/app/machine"
)

// machine returns the information about the machine shown to administrators of the
// installation.
func (a *App) machine() machine.Options {
	o := machine.Options{
		DB: a.db, Jobs: a.jobs, Accounts: a.Accounts, Notify: a.Notify,
		Lists: a.Signing.Lists, Sealing: a.Signing.Sealing, Store: a.Signing.Store, Log: a.lines, Logger: a.log,
		Program: Version(), Data: dataVersion(), Started: a.Clock.Now(), Now: a.Clock.Now, Check: a.checkNow, Examine: a.dangers,
		Checked: func() (machine.Check, error) {
			c, err := lastCheck(a.dir)
			return machine.Check{At: c.At, Problems: c.Problems}, err
		},
	}
	if !a.inMem {
		o.Backup = a.machineBackup
	}
	return o
}

func (a *App) machineBackup() (machine.Backup, error) {
	r, _, err := backup.Last(a.dir)
	return machine.Backup{At: r.Confirmed, Where: r.Where, Size: r.Size, Encrypted: r.Encrypted}, err
}
