package embedded

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
)

// removeUnmade removes the databases in dir that hold nothing at all, not even FerretDB's own list of
// collections. That is what stays behind when the process is killed in the moment in which it makes a
// database: the file is there and its first table is not, and FerretDB would refuse to start over it
// ever after. There is no document in such a file.
func removeUnmade(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.sqlite"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if made(file) {
			continue
		}
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(file + suffix); err != nil && !os.IsNotExist(err) {
				return fmt.Errorf("embedded: a database that was never made: %w", err)
			}
		}
	}
	return nil
}

// made says whether there is any table in a file. One that can't be read counts as made: what is wrong
// with it is for FerretDB to say.
func made(file string) bool {
	db, err := sql.Open("sqlite", "file:"+file) // FerretDB has registered the driver
	if err != nil {
		return true
	}
	defer db.Close()
	var tables int
	err = db.QueryRow("SELECT count(*) FROM sqlite_master").Scan(&tables)
	return err != nil || tables > 0
}
