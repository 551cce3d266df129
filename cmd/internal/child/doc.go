// Package child runs a server as a process of its own: it waits for the line that
// says the server is ready, keeps the end of what it writes to standard error, and
// ends it gently or not.
//
//	db, err := child.Start(child.Command{
//		Path:  "rapidrest",
//		Args:  []string{"mongo", "--listen", "127.0.0.1:0"},
//		Ready: "mongodb://",
//	})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer db.Kill()
//	fmt.Println(db.Line()) // mongodb://127.0.0.1:39485/
//
// On Linux a child is killed when the process that started it dies, however that
// happens, and Ctrl-C on a terminal does not reach it.
package child
