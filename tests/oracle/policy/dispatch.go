package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

func readAll[T any](texts []json.RawMessage) ([]*T, error) {
	var all []*T
	for _, text := range texts {
		one := new(T)
		if err := json.Unmarshal(text, one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// With defaults, as admission sees it; nil if there is none.
func readObject(text json.RawMessage) (runtime.Object, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	return runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), text)
}

func options(operation admission.Operation) runtime.Object {
	named := func(kind string) metav1.TypeMeta {
		return metav1.TypeMeta{Kind: kind, APIVersion: metav1.SchemeGroupVersion.String()}
	}
	switch operation {
	case admission.Create:
		return &metav1.CreateOptions{TypeMeta: named("CreateOptions"), FieldManager: "m"}
	case admission.Update:
		return &metav1.UpdateOptions{TypeMeta: named("UpdateOptions"), FieldManager: "m"}
	}
	return &metav1.DeleteOptions{TypeMeta: named("DeleteOptions")}
}

// The write, and the version it is made in.
func attributes(q *question) (*annotated, schema.GroupVersion, error) {
	var version schema.GroupVersion
	object, err := readObject(q.Object)
	if err != nil {
		return nil, version, err
	}
	old, err := readObject(q.Old)
	if err != nil {
		return nil, version, err
	}
	text, some := q.Object, object
	if some == nil {
		text, some = q.Old, old
	}
	stated := &metav1.TypeMeta{}
	if err := json.Unmarshal(text, stated); err != nil {
		return nil, version, err
	}
	kind := stated.GroupVersionKind()
	accessor, err := meta.Accessor(some)
	if err != nil {
		return nil, version, err
	}
	namespace := accessor.GetNamespace()
	if kind.Kind == "Namespace" {
		namespace = accessor.GetName()
	}
	operation := admission.Operation(q.Operation)
	somebody := &user.DefaultInfo{Name: "somebody", UID: "u-1", Groups: []string{"devs", "system:authenticated"},
		Extra: map[string][]string{"scope": {"a", "b"}}}
	record := admission.NewAttributesRecord(object, old, kind, namespace, accessor.GetName(),
		kind.GroupVersion().WithResource(q.Resource), "", operation, options(operation), false, somebody)
	return &annotated{Attributes: record, annotations: map[string]string{}}, kind.GroupVersion(), nil
}

type dispatch func(context.Context, admission.Attributes, admission.ObjectInterfaces) error

func validatingDispatch(q *question, matcher *matching.Matcher) (dispatch, error) {
	policies, err := readAll[validating.Policy](q.Policies)
	if err != nil {
		return nil, err
	}
	bindings, err := readAll[validating.PolicyBinding](q.Bindings)
	if err != nil {
		return nil, err
	}
	params, err := makeParams(q.Params)
	if err != nil {
		return nil, err
	}
	var hooks []validating.PolicyHook
	for _, policy := range policies {
		hook := validating.PolicyHook{Policy: policy, Evaluator: compileValidating(policy), ParamInformer: params, ParamScope: paramScope}
		for _, binding := range bindings {
			if binding.Spec.PolicyName == policy.Name {
				hook.Bindings = append(hook.Bindings, binding)
			}
		}
		hooks = append(hooks, hook)
	}
	dispatcher := validating.NewDispatcher(echo{}, generic.NewPolicyMatcher(matcher))
	return func(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
		return dispatcher.Dispatch(ctx, a, o, hooks)
	}, nil
}

func mutatingDispatch(q *question, matcher *matching.Matcher, converter managedfields.TypeConverter) (dispatch, error) {
	policies, err := readAll[mutating.Policy](q.Policies)
	if err != nil {
		return nil, err
	}
	bindings, err := readAll[mutating.PolicyBinding](q.Bindings)
	if err != nil {
		return nil, err
	}
	params, err := makeParams(q.Params)
	if err != nil {
		return nil, err
	}
	var hooks []mutating.PolicyHook
	for _, policy := range policies {
		hook := mutating.PolicyHook{Policy: policy, Evaluator: compileMutating(policy), ParamInformer: params, ParamScope: paramScope}
		for _, binding := range bindings {
			if binding.Spec.PolicyName == policy.Name {
				hook.Bindings = append(hook.Bindings, binding)
			}
		}
		hooks = append(hooks, hook)
	}
	dispatcher := mutating.NewDispatcher(echo{}, matcher, converters{converter})
	return func(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
		if err := dispatcher.Dispatch(ctx, a, o, hooks); err != nil {
			return err
		}
		// The second round that kube-apiserver's chain of plugins makes.
		round := a.GetReinvocationContext()
		if !round.ShouldReinvoke() {
			return nil
		}
		round.SetIsReinvoke()
		return dispatcher.Dispatch(ctx, a, o, hooks)
	}, nil
}

// The policies, compiled.
func prepare(q *question, converter managedfields.TypeConverter) (dispatch, error) {
	namespaces, err := makeNamespaces(q.Namespaces)
	if err != nil {
		return nil, err
	}
	matcher := matching.NewMatcher(namespaces, nil)
	if q.Mutating {
		return mutatingDispatch(q, matcher, converter)
	}
	return validatingDispatch(q, matcher)
}

func askOnce(q *question, run dispatch) (a answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			a, err = answer{Failure: fmt.Sprintf("panic: %v", r)}, nil
		}
	}()
	write, version, err := attributes(q)
	if err != nil {
		return a, err
	}
	recorder := &warnings{}
	ctx := warning.WithWarningRecorder(context.Background(), recorder)
	refused := run(ctx, write, admission.NewObjectInterfacesFromScheme(legacyscheme.Scheme))
	a.Warnings, a.Annotations = recorder.texts, write.annotations
	if refused != nil {
		describe(refused, &a)
	} else if q.Mutating && write.GetObject() != nil {
		a.Object, err = runtime.Encode(legacyscheme.Codecs.LegacyCodec(version), write.GetObject())
	}
	return a, err
}

func describe(refused error, a *answer) {
	a.Message = refused.Error()
	// What the server makes of other errors.
	a.Code, a.Reason = 500, string(metav1.StatusReasonUnknown)
	var status *apierrors.StatusError
	if !errors.As(refused, &status) {
		return
	}
	a.Code, a.Reason = status.ErrStatus.Code, string(status.ErrStatus.Reason)
	if status.ErrStatus.Details == nil {
		return
	}
	for _, cause := range status.ErrStatus.Details.Causes {
		a.Causes = append(a.Causes, cause.Message)
	}
}
