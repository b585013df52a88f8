package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
)

func desired(namespace string, replicas int32) *applyapps.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "applied"}
	container := applycore.Container().WithName("web").WithImage("web:1").
		WithPorts(applycore.ContainerPort().WithContainerPort(80))
	return applyapps.Deployment("applied", namespace).WithSpec(applyapps.DeploymentSpec().
		WithReplicas(replicas).
		WithSelector(applymeta.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(applycore.PodTemplateSpec().WithLabels(labels).
			WithSpec(applycore.PodSpec().WithContainers(container))))
}

func managers(object *appsv1.Deployment) string {
	texts := []string{}
	for _, entry := range object.ManagedFields {
		texts = append(texts, strings.TrimSpace(fmt.Sprintf("%s %s %s", entry.Manager, entry.Operation, entry.Subresource)))
	}
	// The order of the API is that of times.
	sort.Strings(texts)
	return strings.Join(texts, ", ")
}

// Apply configurations: create, change, extract what a manager owns and apply that, conflict, force, status.
func applies(ctx context.Context, w *world) error {
	deployments := w.client.AppsV1().Deployments(w.namespace)
	options := metav1.ApplyOptions{FieldManager: "controller"}
	made, err := deployments.Apply(ctx, desired(w.namespace, 2), options)
	if err != nil {
		return err
	}
	extracted, err := applyapps.ExtractDeployment(made, "controller")
	if err != nil {
		return err
	}
	extracted.Spec.WithMinReadySeconds(7)
	changed, err := deployments.Apply(ctx, extracted, options)
	if err != nil {
		return err
	}
	other := metav1.ApplyOptions{FieldManager: "other"}
	_, conflict := deployments.Apply(ctx, desired(w.namespace, 5), other)
	other.Force = true
	forced, err := deployments.Apply(ctx, desired(w.namespace, 5), other)
	if err != nil {
		return err
	}
	// What is no longer applied is removed.
	removed, err := deployments.Apply(ctx, desired(w.namespace, 5), metav1.ApplyOptions{FieldManager: "controller", Force: true})
	if err != nil {
		return err
	}
	status := applyapps.Deployment("applied", w.namespace).WithStatus(applyapps.DeploymentStatus().WithReplicas(5))
	reported, err := deployments.ApplyStatus(ctx, status, metav1.ApplyOptions{FieldManager: "reporter"})
	if err != nil {
		return err
	}
	again, err := deployments.Apply(ctx, desired(w.namespace, 5), other)
	if err != nil {
		return err
	}
	return errors.Join(
		expect("managers of a new object", managers(made), "controller Apply"),
		expect("extracted replicas", *extracted.Spec.Replicas, 2),
		expect("extracted ports", len(extracted.Spec.Template.Spec.Containers[0].Ports), 1),
		expect("minReadySeconds", changed.Spec.MinReadySeconds, 7),
		expect("conflict", apierrors.IsConflict(conflict), true),
		expect("a cause", apierrors.HasStatusCause(conflict, metav1.CauseTypeFieldManagerConflict), true),
		expect("replicas", *forced.Spec.Replicas, 5),
		expect("minReadySeconds after an apply without", removed.Spec.MinReadySeconds, 0),
		expect("managers", managers(reported), "controller Apply, other Apply, reporter Apply status"),
		expect("status", reported.Status.Replicas, 5),
		expect("version after the same apply", again.ResourceVersion, reported.ResourceVersion),
	)
}
