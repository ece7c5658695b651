package evidence

import _ "embed" // the schema

// Schema is the JSON Schema of the tree, evidence/v1.
//
//go:embed evidence.schema.json
var Schema []byte
