// Package schema holds the documents of collections against JSON Schemas, before they are stored.
//
//	schemas, err := schema.Load([]string{"answers=./answers.schema.json"})
//	…
//	cfg.Validate = schemas.Validate // of resource.Config
//
// Drafts 4, 6, 7, 2019-09 and 2020-12 are understood; $schema in the file says which, and 2020-12 is
// meant where it doesn't. A $ref may lead to another file, and never into the network.
package schema

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rapidrest/rapidrest/router"
)

// maxErrors bounds the faults of one document that a client is told of.
const maxErrors = 20

// Schemas are those of some collections; the others take any document. Any number of goroutines may
// use them.
type Schemas struct {
	byCollection map[string]*jsonschema.Schema
}

// Load reads schemas from files, each named as "collection=file". The error names the file.
func Load(specs []string) (*Schemas, error) {
	s := &Schemas{byCollection: make(map[string]*jsonschema.Schema, len(specs))}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{"file": jsonschema.FileLoader{}})
	for _, spec := range specs {
		collection, file, ok := strings.Cut(spec, "=")
		if !ok || collection == "" || file == "" {
			return nil, fmt.Errorf("schema: %q is not collection=file", spec)
		}
		if _, twice := s.byCollection[collection]; twice {
			return nil, fmt.Errorf("schema: two for the collection %q", collection)
		}
		compiled, err := compiler.Compile(file)
		if err != nil {
			return nil, fmt.Errorf("schema: %s: %w", file, err)
		}
		s.byCollection[collection] = compiled
	}
	return s, nil
}

// fault is what is wrong with a document in one place.
type fault struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

// Validate returns nil for a document that its collection's schema takes. Else it returns a problem, 422,
// whose member "errors" has the place and the words of each fault.
func (s *Schemas) Validate(collection string, doc []byte) error {
	compiled := s.byCollection[collection]
	if compiled == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return fmt.Errorf("schema: the document for %q: %w", collection, err)
	}
	err = compiled.Validate(value)
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return fmt.Errorf("schema: %q: %w", collection, err)
	}
	faults := faultsOf(invalid)
	return router.NewProblem(http.StatusUnprocessableEntity, "the document does not fit the schema of its collection: "+faults[0].Detail).
		With("errors", faults)
}

// faultsOf flattens the tree of an error into its leaves; the first ones come first.
func faultsOf(err *jsonschema.ValidationError) []fault {
	var faults []fault
	var walk func(*jsonschema.OutputUnit)
	walk = func(u *jsonschema.OutputUnit) {
		if u.Error != nil && len(u.Errors) == 0 && len(faults) < maxErrors {
			faults = append(faults, fault{u.InstanceLocation, u.Error.String()})
		}
		for i := range u.Errors {
			walk(&u.Errors[i])
		}
	}
	walk(err.DetailedOutput())
	if len(faults) == 0 {
		faults = []fault{{Detail: "it is not valid"}}
	}
	return faults
}
