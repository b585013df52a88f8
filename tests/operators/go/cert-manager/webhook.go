package main

import (
	"context"

	"github.com/cert-manager/cert-manager/internal/webhook"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
	webhookoptions "github.com/cert-manager/cert-manager/pkg/webhook/options"
)

// runWebhook serves admission. Its certificate is signed by an authority that it keeps in a Secret, from which the
// injector reads it.
func runWebhook(ctx context.Context, given options) error {
	config, err := webhookoptions.NewWebhookConfiguration()
	if err != nil {
		return err
	}
	config.KubeConfig = given.kubeconfig
	config.SecurePort = int32(given.webhookPort)
	config.HealthzPort = int32(given.healthzPort)
	config.MetricsListenAddress = given.metrics
	config.TLSConfig.Dynamic.SecretNamespace = given.namespace
	config.TLSConfig.Dynamic.SecretName = "cert-manager-webhook-ca"
	config.TLSConfig.Dynamic.DNSNames = []string{"localhost"}
	server, err := webhook.NewCertManagerWebhookServer(logf.Log, *config)
	if err != nil {
		return err
	}
	return server.Run(ctx)
}
