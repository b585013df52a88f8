package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/cert-manager/cert-manager/pkg/controller"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificate-shim/ingresses"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/metrics"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

const (
	workers       = 5 // upstream's default
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

// contextOptions are upstream's defaults, as far as they matter without ACME.
func contextOptions(given options) controller.ContextOptions {
	result := controller.ContextOptions{Kubeconfig: given.kubeconfig, KubernetesAPIQPS: 20, KubernetesAPIBurst: 50}
	result.ClusterResourceNamespace = given.namespace
	result.ClusterIssuerAmbientCredentials = true
	result.HTTP01SolverResourceRequestCPU = resource.MustParse("10m")
	result.HTTP01SolverResourceRequestMemory = resource.MustParse("64Mi")
	result.HTTP01SolverResourceLimitsCPU = resource.MustParse("100m")
	result.HTTP01SolverResourceLimitsMemory = resource.MustParse("64Mi")
	result.DNS01CheckRetryPeriod = 10 * time.Second
	result.DefaultIssuerKind = "Issuer"
	result.DefaultIssuerGroup = "cert-manager.io"
	result.DefaultAutoCertificateAnnotations = []string{"kubernetes.io/tls-acme"}
	result.EnableOwnerRef = true
	result.CertificateRequestMinimumBackoffDuration = time.Hour
	result.CertificateRequestMaximumBackoffDuration = 32 * time.Hour
	result.MaxConcurrentChallenges = 60
	return result
}

func runController(ctx context.Context, given options) error {
	factory, err := controller.NewContextFactory(ctx, contextOptions(given))
	if err != nil {
		return err
	}
	base, err := factory.Build()
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	if err := serveMetrics(ctx, group, base, given.metrics); err != nil {
		return err
	}
	if err := lead(ctx, group, factory, given.namespace); err != nil {
		return err
	}
	for name, construct := range controller.Known() {
		started, err := construct(factory)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		group.Go(func() error { return started.Run(workers, ctx) })
	}
	base.SharedInformerFactory.Start(ctx.Done())
	base.KubeSharedInformerFactory.Start(ctx.Done())
	base.HTTP01ResourceMetadataInformersFactory.Start(ctx.Done())
	return group.Wait()
}

func serveMetrics(ctx context.Context, group *errgroup.Group, base *controller.Context, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	base.Metrics.SetupCertificateCollector(base.SharedInformerFactory.Certmanager().V1().Certificates().Lister())
	server := base.Metrics.NewServer(listener)
	group.Go(func() error {
		<-ctx.Done()
		return server.Close()
	})
	group.Go(func() error {
		if err := server.Serve(listener); err != http.ErrServerClosed {
			return err
		}
		return nil
	})
	return nil
}

// lead returns when this process holds the lease, which it renews in the group.
func lead(ctx context.Context, group *errgroup.Group, factory *controller.ContextFactory, namespace string) error {
	own, err := factory.Build("leader-election")
	if err != nil {
		return err
	}
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, namespace, "cert-manager-controller", own.Client.CoreV1(),
		own.Client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: "controller", EventRecorder: own.Recorder})
	if err != nil {
		return err
	}
	leads := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(leads) },
			OnStoppedLeading: func() {},
		}})
	if err != nil {
		return err
	}
	group.Go(func() error {
		elector.Run(ctx)
		if ctx.Err() == nil {
			return fmt.Errorf("the lease was lost")
		}
		return nil
	})
	select {
	case <-leads:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
