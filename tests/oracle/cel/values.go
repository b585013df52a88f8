package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// Types as the checker prints them: int, list(string), map(string, dyn), optional_type(int).
func parseType(text string) *cel.Type {
	t, rest := parseTypePrefix(text)
	if rest != "" {
		panic("not a type: " + text)
	}
	return t
}

func parseTypePrefix(text string) (*cel.Type, string) {
	end := strings.IndexAny(text, "(),")
	if end < 0 {
		end = len(text)
	}
	name, rest := strings.TrimSpace(text[:end]), text[end:]
	var arguments []*cel.Type
	if strings.HasPrefix(rest, "(") {
		for rest[0] != ')' {
			var argument *cel.Type
			argument, rest = parseTypePrefix(strings.TrimSpace(rest[1:]))
			arguments = append(arguments, argument)
		}
		rest = rest[1:]
	}
	simple := map[string]*cel.Type{"int": cel.IntType, "uint": cel.UintType, "double": cel.DoubleType,
		"bool": cel.BoolType, "string": cel.StringType, "bytes": cel.BytesType, "dyn": cel.DynType,
		"null": cel.NullType, "timestamp": cel.TimestampType, "duration": cel.DurationType}
	switch {
	case simple[name] != nil:
		return simple[name], rest
	case name == "list":
		return cel.ListType(arguments[0]), rest
	case name == "map":
		return cel.MapType(arguments[0], arguments[1]), rest
	case name == "optional_type":
		return cel.OptionalType(arguments[0]), rest
	}
	if name == library.AuthorizerType.TypeName() {
		return library.AuthorizerType, rest
	}
	return cel.OpaqueType(name, arguments...), rest
}

// Allows "get" and says what it was asked.
type echo struct{}

func (echo) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	reason := fmt.Sprintf("%s %s %s/%s/%s %s/%s %s", a.GetUser().GetName(), a.GetVerb(), a.GetAPIGroup(), a.GetResource(),
		a.GetSubresource(), a.GetNamespace(), a.GetName(), a.GetPath())
	if a.GetName() == "broken" {
		return authorizer.DecisionNoOpinion, reason, errors.New("it is broken")
	}
	if a.GetVerb() == "get" {
		return authorizer.DecisionAllow, reason, nil
	}
	return authorizer.DecisionDeny, reason, nil
}

// A variable's value: JSON, read by the declared type where JSON has no such value.
func parseValue(t *cel.Type, raw json.RawMessage) any {
	if t == library.AuthorizerType {
		return library.NewAuthorizerVal(&user.DefaultInfo{Name: "somebody"}, echo{})
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return convert(t, value)
}

func convert(t *cel.Type, value any) any {
	switch v := value.(type) {
	case json.Number:
		if t != nil && t.Kind() == types.UintKind {
			n, err := strconv.ParseUint(v.String(), 10, 64)
			if err != nil {
				panic(err)
			}
			return n
		}
		if n, err := v.Int64(); err == nil && (t == nil || t.Kind() != types.DoubleKind) {
			return n
		}
		n, _ := v.Float64()
		return n
	case string:
		if t == nil {
			return v
		}
		switch t.Kind() {
		case types.BytesKind:
			data, err := base64.StdEncoding.DecodeString(v)
			if err != nil {
				panic(err)
			}
			return data
		case types.DurationKind:
			d, err := time.ParseDuration(v)
			if err != nil {
				panic(err)
			}
			return d
		case types.TimestampKind:
			at, err := time.Parse(time.RFC3339, v)
			if err != nil {
				panic(err)
			}
			return at
		}
		return v
	case []any:
		for i := range v {
			v[i] = convert(parameter(t, 0), v[i])
		}
		return v
	case map[string]any:
		for key := range v {
			v[key] = convert(parameter(t, 1), v[key])
		}
		return v
	}
	return value
}

func parameter(t *cel.Type, index int) *cel.Type {
	if t == nil || index >= len(t.Parameters()) {
		return nil
	}
	return t.Parameters()[index]
}

// One text for a value: entries of maps are sorted by their keys' texts.
func print(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.Double:
		return "double(" + strconv.FormatFloat(float64(v), 'g', -1, 64) + ")"
	case types.String:
		return strconv.Quote(string(v))
	case types.Bytes:
		return "bytes(" + hex.EncodeToString([]byte(v)) + ")"
	case types.Duration:
		return "duration(" + strconv.FormatInt(int64(v.Duration), 10) + ")"
	case types.Timestamp:
		return "timestamp(" + v.Time.UTC().Format(time.RFC3339Nano) + ")"
	case *types.Type:
		return "type(" + v.TypeName() + ")"
	case *types.Optional:
		if !v.HasValue() {
			return "optional.none"
		}
		return "optional(" + print(v.GetValue()) + ")"
	case apiservercel.Format:
		return "kubernetes.NamedFormat(" + v.Name + ")"
	case traits.Mapper:
		var entries []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, print(key)+": "+print(v.Get(key)))
		}
		sort.Strings(entries)
		return "{" + strings.Join(entries, ", ") + "}"
	case traits.Lister:
		var items []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, print(it.Next()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	if text, ok := value.Value().(fmt.Stringer); ok {
		return value.Type().TypeName() + "(" + text.String() + ")"
	}
	return fmt.Sprintf("%s(%v)", value.Type().TypeName(), value.Value())
}
