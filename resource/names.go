package resource

import (
	"net/http"
	"strings"
	"unicode"

	"github.com/rapidrest/rapidrest/router"
)

// maxCollectionName is the longest collection name that is served, in bytes. MongoDB
// bounds the namespace ("database.collection") to 255 bytes; its database names go to 63.
const maxCollectionName = 120

// ValidCollection says whether a collection may have this name: 1 to 120 bytes of UTF-8, all
// of them letters or digits of any script, "_", "-" or ".", which begin with neither "." nor
// "-" nor "system." and do not end with ".".
//
// This is far less than MongoDB takes. A name out of a URL ends up in places where a quote, a
// space or a line break means something: an embedded database makes a table of it, a spool a
// directory, a log a line. The system collections hold credentials (system.users) and code
// (system.js).
func ValidCollection(name string) bool {
	if name == "" || len(name) > maxCollectionName || strings.HasPrefix(name, "system.") ||
		name[0] == '.' || name[0] == '-' || name[len(name)-1] == '.' {
		return false
	}
	for _, r := range name { // what is no UTF-8 comes as U+FFFD, which is no letter
		switch {
		case r == '_', r == '-', r == '.', unicode.IsLetter(r), unicode.IsDigit(r):
		default:
			return false
		}
	}
	return true
}

// checkCollection says whether a collection may be used over HTTP: 400 where none that could be
// served has that name, see ValidCollection, 403 where the server does not want it. The system
// collections are never served, whatever the allow-list says.
func checkCollection(name string, allow func(string) bool) error {
	switch {
	case !ValidCollection(name) && !strings.HasPrefix(name, "system."):
		return router.NewProblem(http.StatusBadRequest, "resource: "+quote(name)+" is no name for a collection")
	case !ValidCollection(name), allow != nil && !allow(name):
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
