// Package document turns JSON into BSON documents, strictly and in one pass, and BSON into JSON.
package document
