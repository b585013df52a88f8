// The CEL oracle: reads lines of JSON, each with an expression, its environment and the values of
// its variables; compiles and evaluates it with upstream's libraries, as the API server configures
// them; and answers one line of JSON each.
//
//	{"expression": "x + 1", "version": "1.36", "types": {"x": "int"}, "values": {"x": 1}}
//	{"type": "int", "value": "2", "estimate": "[2,2]", "cost": 2}
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type question struct {
	Expression string                     `json:"expression"`
	Version    string                     `json:"version"`
	Types      map[string]string          `json:"types"`
	Values     map[string]json.RawMessage `json:"values"`
	Limit      *uint64                    `json:"limit"`
	JSONPatch  bool                       `json:"jsonPatch"` // with the library of mutating policies
	Rule       *rule                      `json:"rule"`      // the expression is a rule of a schema
	Check      *check                     `json:"check"`     // no expression: an object and its schema
}

type answer struct {
	Type     string  `json:"type,omitempty"`
	Issues   string  `json:"issues,omitempty"`  // from the parser, checker and validators
	Program  string  `json:"program,omitempty"` // from planning: constants that fail
	Value    string  `json:"value,omitempty"`
	Error    string  `json:"error,omitempty"`
	Estimate string  `json:"estimate,omitempty"` // numbers of 64 bits are no JSON numbers
	Cost     *uint64 `json:"cost,omitempty"`
	Unstable bool    `json:"unstable,omitempty"` // depends on the order of a Go map
	// Of rules.
	Cardinality string `json:"cardinality,omitempty"`
	UsesOldSelf bool   `json:"usesOldSelf,omitempty"`
	// Of objects.
	Errors    []string `json:"errors,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
	Remaining string   `json:"remaining,omitempty"` // of the budget; negative: it was not enough
}

// Sizes of variables are not known.
type unknownSizes struct{}

func (unknownSizes) EstimateSize(checker.AstNode) *checker.SizeEstimate { return nil }
func (unknownSizes) EstimateCallCost(function, overloadID string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	return nil
}

func ask(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a.Error = fmt.Sprintf("panic: %v", r)
		}
	}()
	if q.Version == "" {
		q.Version = "1.36"
	}
	if q.Rule != nil {
		return askRule(q)
	}
	if q.Check != nil {
		return askCheck(*q.Check)
	}
	options := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0)}
	if q.JSONPatch {
		options.EnvOptions = append(options.EnvOptions, library.JSONPatch())
	}
	declared := map[string]*cel.Type{}
	for name, text := range q.Types {
		declared[name] = parseType(text)
		options.EnvOptions = append(options.EnvOptions, cel.Variable(name, declared[name]))
	}
	if q.Limit != nil {
		options.ProgramOptions = append(options.ProgramOptions, cel.CostLimit(*q.Limit))
	}
	set, err := environment.MustBaseEnvSet(version.MustParseGeneric(q.Version)).Extend(options)
	if err != nil {
		return answer{Issues: "environment: " + err.Error()}
	}
	env := set.NewExpressionsEnv()
	ast, issues := env.Compile(q.Expression)
	if issues.Err() != nil {
		return answer{Issues: issues.String()}
	}
	a.Type = checker.FormatCELType(ast.OutputType())
	estimate, err := env.EstimateCost(ast, &library.CostEstimator{SizeEstimator: unknownSizes{}})
	if err == nil {
		a.Estimate = fmt.Sprintf("[%d,%d]", estimate.Min, estimate.Max)
	}
	program, err := env.Program(ast)
	if err != nil {
		a.Program = err.Error()
		return a
	}
	values := map[string]any{}
	for name, raw := range q.Values {
		values[name] = parseValue(declared[name], raw)
	}
	evaluate(program, values, &a)
	return a
}

// More than once: what depends on the order of a map is not compared.
func evaluate(program cel.Program, values any, a *answer) {
	for i := 0; i < 8; i++ {
		once := *a
		result, details, err := program.Eval(values)
		if details != nil {
			once.Cost = details.ActualCost()
		}
		if err != nil {
			once.Error = err.Error()
		} else {
			once.Value = print(result)
		}
		if i == 0 {
			*a = once
		} else if once.Value != a.Value || once.Error != a.Error || *once.Cost != *a.Cost {
			a.Unstable = true
			return
		}
	}
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "--spec" {
		if err := printSpec(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "oracle:", err)
			os.Exit(1)
		}
		return
	}
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := bufio.NewWriter(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var q question
			if err := json.Unmarshal(line, &q); err != nil {
				fmt.Fprintln(os.Stderr, "oracle:", strings.TrimSpace(string(line)), err)
				os.Exit(1)
			}
			text, _ := json.Marshal(ask(q))
			output.Write(text)
			output.WriteByte('\n')
			output.Flush()
		}
		if err == io.EOF {
			return
		}
	}
}
