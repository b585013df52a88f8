package main

import (
	"context"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/warning"
)

// What the API server's unstructuredSchemaCoercer and unstructuredDefaulter do.
func decode(object map[string]any, structural *structuralschema.Structural, strict, drop bool) ([]string, error) {
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{
		DropMalformedFields: drop, ReturnUnknownFieldPaths: strict,
	})
	if err != nil {
		return nil, err
	}
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: strict}
	unknown = append(unknown, pruning.PruneWithOptions(object, structural, true, options)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
	failed, paths := objectmeta.CoerceWithOptions(nil, object, structural, false, objectmeta.CoerceOptions{
		DropInvalidFields: drop, ReturnUnknownFieldPaths: strict,
	})
	if failed != nil {
		return nil, failed
	}
	unknown = append(unknown, paths...)
	if found {
		if err := objectmeta.SetObjectMeta(object, meta); err != nil {
			return nil, err
		}
	}
	defaulting.Default(object, structural)
	return unknown, nil
}

type warnings struct{ texts []string }

func (w *warnings) AddWarning(agent, text string) { w.texts = append(w.texts, text) }

func texts(errs field.ErrorList) []string {
	found := []string{}
	for _, err := range errs {
		found = append(found, string(err.Type)+" "+err.Error())
	}
	sort.Strings(found)
	return found
}

func validate(q question, internal *apiextensions.JSONSchemaProps, structural *structuralschema.Structural, object, old map[string]any) ([]string, []string) {
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return []string{err.Error()}, nil
	}
	var statusValidator validation.SchemaValidator
	if status, found := internal.Properties["status"]; found {
		if statusValidator, _, err = validation.NewSchemaValidator(&status); err != nil {
			return []string{err.Error()}, nil
		}
	}
	var scale *apiextensions.CustomResourceSubresourceScale
	if q.Scale != nil {
		scale = &apiextensions.CustomResourceSubresourceScale{}
		if err := v1.Convert_v1_CustomResourceSubresourceScale_To_apiextensions_CustomResourceSubresourceScale(q.Scale, scale, nil); err != nil {
			return []string{err.Error()}, nil
		}
	}
	strategy := customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), true,
		schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, validator, statusValidator, structural,
		&apiextensions.CustomResourceSubresourceStatus{}, scale, q.Fields)
	recorder := &warnings{}
	ctx := warning.WithWarningRecorder(context.Background(), recorder)
	now := &unstructured.Unstructured{Object: object}
	var errs field.ErrorList
	switch {
	case old == nil:
		errs = strategy.Validate(ctx, now)
	case q.Status:
		errs = customresource.NewStatusStrategy(strategy).ValidateUpdate(ctx, now, &unstructured.Unstructured{Object: old})
	default:
		errs = strategy.ValidateUpdate(ctx, now, &unstructured.Unstructured{Object: old})
	}
	sort.Strings(recorder.texts)
	return texts(errs), recorder.texts
}

func cells(columns []v1.CustomResourceColumnDefinition, object map[string]any) []any {
	if len(columns) == 0 {
		return nil
	}
	converter, err := tableconvertor.New(columns)
	if err != nil {
		return []any{err.Error()}
	}
	table, err := converter.ConvertToTable(context.Background(), &unstructured.Unstructured{Object: object}, nil)
	if err != nil {
		return []any{err.Error()}
	}
	return table.Rows[0].Cells
}

func selectable(fields []v1.SelectableField, object map[string]any) map[string]string {
	if len(fields) == 0 {
		return nil
	}
	strategy := customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), true,
		schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, nil, nil, &structuralschema.Structural{}, nil, nil, fields)
	_, set, err := strategy.GetAttrs(&unstructured.Unstructured{Object: object})
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	found := map[string]string{}
	for name, value := range set {
		if !strings.HasPrefix(name, "metadata.") {
			found[name] = value
		}
	}
	return found
}

func askDefaults(structural *structuralschema.Structural) answer {
	errs, err := defaulting.ValidateDefaults(context.Background(), field.NewPath("schema"), structural, true, true)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	return answer{DefaultErrors: texts(errs)}
}
