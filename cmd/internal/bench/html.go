package bench

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"
)

//go:embed *.gohtml
var pageFiles embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"svg":       func(s string) template.HTML { return template.HTML(s) }, // drawn by us, its texts escaped
	"thousands": thousands,
	"micros":    micros,
	"span":      span,
}).ParseFS(pageFiles, "*.gohtml"))

// WriteDir writes report.html, which needs no other file and no network, report.json with every
// run, and the charts as SVG and PNG files, into a directory that is made if it is missing.
func (r *Report) WriteDir(dir string) error {
	charts := r.Charts()
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil {
		return err
	}
	return writeDir(dir, "report.gohtml", struct {
		*Report
		Table  string
		Charts []Chart
	}{r, table.String(), charts}, charts, r)
}

// writeDir writes a page, what it shows as JSON, and its charts.
func writeDir(dir, page string, shown any, charts []Chart, report any) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	var html strings.Builder
	if err := pages.ExecuteTemplate(&html, page, shown); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	text, err := json.MarshalIndent(report, "", "\t")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	files := map[string]string{"report.html": html.String(), "report.json": string(text) + "\n"}
	for _, c := range charts {
		var pixels strings.Builder
		if err := c.WritePNG(&pixels); err != nil {
			return err
		}
		files[c.Name+".svg"], files[c.Name+".png"] = c.SVG(), pixels.String()
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return fmt.Errorf("bench: %w", err)
		}
	}
	return nil
}
