package resource

import (
	"net/http"
	"strings"

	"github.com/rapidrest/rapidrest/router"
)

// maxCollectionName is the longest collection name that is served, in bytes. MongoDB
// bounds the namespace ("database.collection") to 255 bytes; its database names go to 63.
const maxCollectionName = 190

// checkCollection says whether a collection may be used over HTTP: 400 where MongoDB could
// not hold a collection of that name, 403 where it could and the server does not want it.
// The system collections are never served, whatever the allow-list says: system.users
// holds credentials, system.js code.
func checkCollection(name string, allow func(string) bool) error {
	switch {
	case name == "" || len(name) > maxCollectionName,
		strings.ContainsAny(name, "$\x00"),
		name[0] == '.' || name[len(name)-1] == '.':
		return router.NewProblem(http.StatusBadRequest, "resource: "+quote(name)+" is no name for a collection")
	case strings.HasPrefix(name, "system."), allow != nil && !allow(name):
		return router.NewProblem(http.StatusForbidden, "resource: the collection "+quote(name)+" is not served here")
	}
	return nil
}

// AllowOnly is an allow-list for Config.Allow: the names given and no other. A name may end
// in "*", which then stands for any ending; "*" alone allows every collection that is not a
// system collection.
func AllowOnly(names ...string) func(collection string) bool {
	exact := make(map[string]bool, len(names))
	var prefixes []string
	for _, n := range names {
		if p, ok := strings.CutSuffix(n, "*"); ok {
			prefixes = append(prefixes, p)
		} else {
			exact[n] = true
		}
	}
	return func(collection string) bool {
		if exact[collection] {
			return true
		}
		for _, p := range prefixes {
			if strings.HasPrefix(collection, p) {
				return true
			}
		}
		return false
	}
}
