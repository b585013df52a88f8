package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
	"cel.dev/expr/conformance/test"
	"google.golang.org/protobuf/encoding/prototext"
)

// Prints a line for each of cel-spec's simple tests that needs no variables, messages or containers:
// the question, and upstream's answer to it.
//
//	cel-oracle --spec FOLDER > src/cel/expression/testdata/spec.jsonl
func printSpec(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.textproto"))
	if err != nil {
		return err
	}
	sort.Strings(files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file := &test.SimpleTestFile{}
		if err := prototext.Unmarshal(text, file); err != nil {
			fmt.Fprintln(os.Stderr, name, err)
			continue
		}
		for _, section := range file.GetSection() {
			for _, one := range section.GetTest() {
				if len(one.GetBindings()) > 0 || len(one.GetTypeEnv()) > 0 || one.GetContainer() != "" {
					continue
				}
				line, err := json.Marshal(struct {
					Expression string `json:"expression"`
					Answer     answer `json:"answer"`
				}{one.GetExpr(), ask(question{Expression: one.GetExpr()})})
				if err != nil {
					return err
				}
				fmt.Println(string(line))
			}
		}
	}
	return nil
}
