package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/util/retry"
)

func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	surge := intstr.FromString("50%")
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "main", Image: "busybox:1.36",
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
						corev1.ResourceCPU: resource.MustParse("1500m"), corev1.ResourceMemory: resource.MustParse("1Gi")}},
				}}},
			},
		},
	}
}

func typedObjects(ctx context.Context, w *world) error {
	deployments := w.client.AppsV1().Deployments(w.namespace)
	made, err := deployments.Create(ctx, deployment("web"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	template := made.Spec.Template.Spec
	pod, err := w.client.CoreV1().Pods(w.namespace).Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: template}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	secrets := w.client.CoreV1().Secrets(w.namespace)
	secret, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "bytes-"}, Data: map[string][]byte{"raw": {0, 255, 10}}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	read, err := secrets.Get(ctx, secret.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	made.Labels = map[string]string{"seen": "yes"}
	changed, err := deployments.Update(ctx, made, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	trial, err := deployments.Create(ctx, deployment("trial"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return err
	}
	_, trialErr := deployments.Get(ctx, trial.Name, metav1.GetOptions{})
	list, err := deployments.List(ctx, metav1.ListOptions{LabelSelector: "seen=yes"})
	if err != nil {
		return err
	}
	return errors.Join(
		expect("a default", *made.Spec.Replicas, 1),
		expect("what was given beside a default", made.Spec.Strategy.RollingUpdate.MaxSurge.String(), "50%"),
		expect("a default beside what was given", made.Spec.Strategy.RollingUpdate.MaxUnavailable.String(), "25%"),
		expect("no requests from limits in a template", template.Containers[0].Resources.Requests.Cpu().String(), "0"),
		expect("requests from limits in a pod", pod.Spec.Containers[0].Resources.Requests.Cpu().String(), "1500m"),
		expect("pull policy", template.Containers[0].ImagePullPolicy, "IfNotPresent"),
		expect("generation", made.Generation, 1),
		expect("bytes", read.Data, map[string][]byte{"raw": {0, 255, 10}}),
		expect("uid", read.UID, secret.UID),
		expect("labels are no new generation", changed.Generation, 1),
		expect("the new version is another", changed.ResourceVersion != made.ResourceVersion, true),
		expect("a dry run left nothing", apierrors.IsNotFound(trialErr), true),
		expect("listed", len(list.Items), 1),
		expect("the list's version is not empty", list.ResourceVersion != "", true),
		expect("requests answered in something else", w.wire.count("/")-w.wire.count(protobuf), 0),
		deployments.Delete(ctx, "web", metav1.DeleteOptions{}),
	)
}

func typedErrors(ctx context.Context, w *world) error {
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	_, missing := maps.Get(ctx, "nothing", metav1.GetOptions{})
	made, err := maps.Create(ctx, configMap("c", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, twice := maps.Create(ctx, configMap("c", nil), metav1.CreateOptions{})
	old := made.DeepCopy()
	made.Data["name"] = "other"
	if _, err := maps.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, conflict := maps.Update(ctx, old, metav1.UpdateOptions{})
	wrong := types.UID("00000000-0000-0000-0000-000000000000")
	precondition := maps.Delete(ctx, "c", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "A"}, {Name: "b", Image: "b", ImagePullPolicy: "x"}}}}
	_, invalid := w.client.CoreV1().Pods(w.namespace).Create(ctx, pod, metav1.CreateOptions{})
	causes := 0
	if status := apierrors.APIStatus(nil); errors.As(invalid, &status) && status.Status().Details != nil {
		causes = len(status.Status().Details.Causes)
	}
	_, selector := maps.List(ctx, metav1.ListOptions{LabelSelector: "a in (b"})
	_, version := maps.List(ctx, metav1.ListOptions{ResourceVersion: "abc"})
	_, token := maps.List(ctx, metav1.ListOptions{Continue: "nonsense"})
	return errors.Join(
		expect("not found", apierrors.IsNotFound(missing), true),
		expect("already exists", apierrors.IsAlreadyExists(twice), true),
		expect("conflict", apierrors.IsConflict(conflict), true),
		expect("precondition", apierrors.IsConflict(precondition), true),
		expect("invalid", apierrors.IsInvalid(invalid), true),
		expect("causes", causes, 3),
		expect("selector", apierrors.IsBadRequest(selector), true),
		expect("version", apierrors.IsInvalid(version) || apierrors.IsBadRequest(version), true),
		expect("continue token", apierrors.IsBadRequest(token), true),
	)
}

func patches(ctx context.Context, w *world) error {
	deployments := w.client.AppsV1().Deployments(w.namespace)
	if _, err := deployments.Create(ctx, deployment("web"), metav1.CreateOptions{}); err != nil {
		return err
	}
	var last *appsv1.Deployment
	for _, patch := range []struct {
		kind types.PatchType
		text string
	}{
		{types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side"}]}}}}`},
		{types.MergePatchType, `{"metadata":{"annotations":{"a":"b"}},"spec":{"replicas":3}}`},
		{types.JSONPatchType, `[{"op":"replace","path":"/spec/replicas","value":4},{"op":"remove","path":"/metadata/annotations/a"}]`},
	} {
		patched, err := deployments.Patch(ctx, "web", patch.kind, []byte(patch.text), metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("%s: %w", patch.kind, err)
		}
		last = patched
	}
	_, conflict := deployments.Patch(ctx, "web", types.MergePatchType, []byte(`{"metadata":{"resourceVersion":"1"}}`), metav1.PatchOptions{})
	return errors.Join(
		expect("containers", len(last.Spec.Template.Spec.Containers), 2),
		expect("replicas", *last.Spec.Replicas, 4),
		expect("annotations", len(last.Annotations), 0),
		expect("generation", last.Generation, 4),
		expect("conflict", apierrors.IsConflict(conflict), true),
	)
}

func retryOnConflict(ctx context.Context, w *world) error {
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	if _, err := maps.Create(ctx, configMap("counter", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	const writers, rounds = 4, 10
	done := make(chan error, writers)
	backoff := retry.DefaultRetry
	backoff.Steps = 100
	for range writers {
		go func() {
			var err error
			for i := 0; i < rounds && err == nil; i++ {
				err = retry.RetryOnConflict(backoff, func() error {
					read, err := maps.Get(ctx, "counter", metav1.GetOptions{})
					if err != nil {
						return err
					}
					count, _ := strconv.Atoi(read.Data["count"])
					read.Data["count"] = strconv.Itoa(count + 1)
					_, err = maps.Update(ctx, read, metav1.UpdateOptions{})
					return err
				})
			}
			done <- err
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			return err
		}
	}
	read, err := maps.Get(ctx, "counter", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return expect("count", read.Data["count"], writers*rounds)
}

func subresources(ctx context.Context, w *world) error {
	deployments := w.client.AppsV1().Deployments(w.namespace)
	made, err := deployments.Create(ctx, deployment("web"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Status.Replicas = 2
	made.Labels = map[string]string{"not": "stored"}
	reported, err := deployments.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	scale.Spec.Replicas = 5
	scaled, err := deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
	if err != nil {
		return err
	}

	pods := w.client.CoreV1().Pods(w.namespace)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: deployment("p").Spec.Template.Spec}
	if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Target: corev1.ObjectReference{Kind: "Node", Name: "one"}}
	if err := pods.Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	bound, err := pods.Get(ctx, "p", metav1.GetOptions{})
	if err != nil {
		return err
	}
	evicted := pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p"}})

	accounts := w.client.CoreV1().ServiceAccounts(w.namespace)
	if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	token, err := accounts.CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return errors.Join(
		expect("status", reported.Status.Replicas, 2),
		expect("labels by way of status", len(reported.Labels), 0),
		expect("scale", scale.Status.Replicas, 2),
		expect("selector", scale.Status.Selector, "app=web"),
		expect("scaled", scaled.Spec.Replicas, 5),
		expect("node", bound.Spec.NodeName, "one"),
		expect("eviction", evicted, nil),
		expect("a token", token.Status.Token != "", true),
	)
}

func deleteCollection(ctx context.Context, w *world) error {
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	for i := range 10 {
		if _, err := maps.Create(ctx, configMap(fmt.Sprint("c", i), map[string]string{"odd": fmt.Sprint(i%2 == 1)}), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "odd=true"}); err != nil {
		return err
	}
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return expect("left", len(list.Items), 6)
}
