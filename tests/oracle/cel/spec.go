package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"sort"

	"cel.dev/expr"
	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
	"cel.dev/expr/conformance/test"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"google.golang.org/protobuf/encoding/prototext"
)

// Prints a line for each of cel-spec's simple tests that needs no messages or containers: the question, and
// upstream's answer to it.
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
				if err := printTest(one); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func printTest(one *test.SimpleTest) error {
	if one.GetContainer() != "" {
		return nil
	}
	q := question{Expression: one.GetExpr()}
	if !addVariables(one, &q) {
		return nil
	}
	line, err := json.Marshal(struct {
		Expression string                     `json:"expression"`
		Types      map[string]string          `json:"types,omitempty"`
		Values     map[string]json.RawMessage `json:"values,omitempty"`
		Answer     answer                     `json:"answer"`
	}{q.Expression, q.Types, q.Values, ask(q)})
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	return nil
}

var simpleType = regexp.MustCompile(`^(int|uint|double|bool|string|bytes|dyn|null|timestamp|duration|list|map|[(), ])+$`)

// False if a variable has a type or a value that a question cannot have.
func addVariables(one *test.SimpleTest, q *question) bool {
	q.Types = map[string]string{}
	q.Values = map[string]json.RawMessage{}
	for _, declared := range one.GetTypeEnv() {
		if declared.GetIdent() == nil {
			return false
		}
		t, err := types.ProtoAsType(declared.GetIdent().GetType())
		if err != nil || !simpleType.MatchString(checker.FormatCELType(t)) {
			return false
		}
		q.Types[declared.GetName()] = checker.FormatCELType(t)
	}
	for name, binding := range one.GetBindings() {
		value, ok := plainValue(binding.GetValue(), true)
		if !ok {
			return false
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return false
		}
		q.Values[name] = raw
		if q.Types[name] == "" {
			q.Types[name] = "dyn"
		}
	}
	return len(q.Types) == len(q.Values)
}

// A value as JSON. Numbers that JSON does not tell from integers are variables of their own only.
func plainValue(value *expr.Value, outermost bool) (any, bool) {
	switch v := value.GetKind().(type) {
	case *expr.Value_NullValue:
		return nil, true
	case *expr.Value_BoolValue:
		return v.BoolValue, true
	case *expr.Value_Int64Value:
		return v.Int64Value, true
	case *expr.Value_Uint64Value:
		return v.Uint64Value, outermost && v.Uint64Value <= math.MaxInt64
	case *expr.Value_DoubleValue:
		whole := v.DoubleValue == math.Trunc(v.DoubleValue)
		return v.DoubleValue, !math.IsInf(v.DoubleValue, 0) && !math.IsNaN(v.DoubleValue) && !whole
	case *expr.Value_StringValue:
		return v.StringValue, true
	case *expr.Value_BytesValue:
		return v.BytesValue, outermost
	case *expr.Value_ListValue:
		items := []any{}
		for _, item := range v.ListValue.GetValues() {
			plain, ok := plainValue(item, false)
			if !ok {
				return nil, false
			}
			items = append(items, plain)
		}
		return items, true
	case *expr.Value_MapValue:
		entries := map[string]any{}
		for _, entry := range v.MapValue.GetEntries() {
			key, isText := entry.GetKey().GetKind().(*expr.Value_StringValue)
			plain, ok := plainValue(entry.GetValue(), false)
			if !isText || !ok {
				return nil, false
			}
			entries[key.StringValue] = plain
		}
		return entries, true
	}
	return nil, false
}
