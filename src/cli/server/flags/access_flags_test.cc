#include "cli/server/flags/access_flags.h"

#include <gtest/gtest.h>

#include "testkit/memory_files.h"

namespace proa::cli {
namespace {

class AccessFlagsTest : public testing::Test {
 protected:
  AccessFlagsTest() {
    for (const Flag& flag : access_flags()) settings_.set(flag.name, flag.fallback);
  }
  void give(std::string_view name, const std::string& value) {
    settings_.set(name, value);
    settings_.mark_given(name);
  }
  std::string problem() {
    const auto read = read_access_options(settings_, files_);
    return read ? "" : read.status().message();
  }

  Settings settings_;
  testkit::MemoryFiles files_;
};

TEST_F(AccessFlagsTest, AnonymousRequestsAreConfiguredInOnePlace) {
  const std::string head =
      "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";
  files_.content["/with.yaml"] = head + "anonymous: {enabled: false}\n";
  files_.content["/without.yaml"] = head + "jwt: []\n";
  give("authentication-config", "/with.yaml");
  EXPECT_EQ(problem(), "");
  give("anonymous-auth", "true");
  EXPECT_EQ(problem(),
            "--authentication-config: anonymous: Forbidden: --anonymous-auth flag cannot be set "
            "when anonymous field is configured in authentication configuration file");
  give("authentication-config", "/without.yaml");
  EXPECT_EQ(problem(), "");
}

TEST_F(AccessFlagsTest, FilesOfAuthoritiesHaveACertificate) {
  files_.content["/ca.crt"] = "";
  give("requestheader-client-ca-file", "/ca.crt");
  EXPECT_TRUE(
      problem().starts_with("--requestheader-client-ca-file: /ca.crt contains no certificate; "))
      << problem();
  give("requestheader-client-ca-file", "");
  give("oidc-issuer-url", "https://issuer.example");
  give("oidc-client-id", "proa");
  give("oidc-ca-file", "/ca.crt");
  EXPECT_TRUE(problem().starts_with("--oidc-ca-file: /ca.crt contains no certificate; "))
      << problem();
}

TEST_F(AccessFlagsTest, ConfigurationsOfPluginsAreChecked) {
  const auto configure = [&](const std::string& name, const std::string& configuration) {
    files_.content["/a.yaml"] =
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- "
        "{name: " +
        name + ", configuration: " + configuration + "}\n";
  };
  give("admission-control-config-file", "/a.yaml");
  configure("PodSecurity",
            "{apiVersion: pod-security.admission.config.k8s.io/v1, kind: "
            "PodSecurityConfiguration, defaults: {enforce: basline}}");
  EXPECT_EQ(problem(),
            "--admission-control-config-file: /a.yaml: plugin PodSecurity: PodSecurity "
            "configuration error: enforce: Invalid value: \"basline\": must be one of privileged, "
            "baseline, restricted");
  configure("PodSecurty", "{}");
  EXPECT_TRUE(
      problem().starts_with("--admission-control-config-file: /a.yaml: unknown admission "
                            "plugin PodSecurty; known: AlwaysAdmit, "))
      << problem();
  configure("ValidatingAdmissionWebhook",
            "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, "
            "kubeConfigFile: /none}");
  EXPECT_TRUE(problem().starts_with(
      "--admission-control-config-file: /a.yaml: plugin ValidatingAdmissionWebhook: open /none"))
      << problem();
  // Configurations of plugins that are off are not read.
  configure("EventRateLimit", "{}");
  EXPECT_EQ(problem(), "");
  give("enable-admission-plugins", "EventRateLimit");
  EXPECT_TRUE(
      problem().starts_with("--admission-control-config-file: /a.yaml: plugin EventRateLimit: "))
      << problem();
}

}  // namespace
}  // namespace proa::cli
