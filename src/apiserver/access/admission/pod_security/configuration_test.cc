#include "apiserver/access/admission/pod_security/configuration.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace proa::apiserver::pod_security {
namespace {

constexpr const char* kHead =
    "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n";

Result<Configuration> read(const std::string& text) {
  const json::Document document = *json::parse_yaml(text);
  return read_configuration(document.root());
}

TEST(ReadPodSecurityConfiguration, EnforcesNothingByItself) {
  const Result<Configuration> absent = read_configuration({});
  ASSERT_TRUE(absent.ok());
  EXPECT_EQ(absent->defaults, Policy{});
  const Result<Configuration> empty = read(kHead);
  ASSERT_TRUE(empty.ok()) << empty.status().message();
  EXPECT_EQ(empty->defaults, Policy{});
}

TEST(ReadPodSecurityConfiguration, ReadsDefaultsAndExemptions) {
  const Result<Configuration> found =
      read(std::string(kHead) +
           "defaults: {enforce: baseline, enforce-version: v1.30, warn: restricted}\n"
           "exemptions: {usernames: [bob, 'a b'], namespaces: [kube-system], runtimeClasses: [r]}");
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->defaults.enforce.str(), "baseline:v1.30");
  EXPECT_EQ(found->defaults.audit.str(), "privileged:latest");
  EXPECT_EQ(found->defaults.warn.str(), "restricted:latest");
  EXPECT_TRUE(found->exemptions.has_user("a b"));
  EXPECT_FALSE(found->exemptions.has_user(""));
  EXPECT_TRUE(found->exemptions.has_namespace("kube-system"));
  EXPECT_FALSE(found->exemptions.has_namespace("default"));
  const json::Document spec = *json::parse_yaml("runtimeClassName: r");
  EXPECT_TRUE(found->exemptions.has_runtime_class(spec.root()));
  EXPECT_FALSE(found->exemptions.has_runtime_class({}));
}

TEST(ReadPodSecurityConfiguration, ReadsOldVersions) {
  for (const char* version : {"v1alpha1", "v1beta1"}) {
    const Result<Configuration> found =
        read("apiVersion: pod-security.admission.config.k8s.io/" + std::string(version) +
             "\nkind: PodSecurityConfiguration\ndefaults: {audit: baseline}");
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->defaults.audit.str(), "baseline:latest");
  }
}

TEST(ReadPodSecurityConfiguration, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"defaults: {enforce: x, warn-version: z}",
       "PodSecurity configuration error: [enforce: Invalid value: \"x\": must be one of "
       "privileged, baseline, restricted, warn-version: Invalid value: \"z\": must be \"latest\" "
       "or \"v1.x\"]"},
      {"defaults: {audit: x}",
       "PodSecurity configuration error: audit: Invalid value: \"x\": must be one of privileged, "
       "baseline, restricted"},
      {"exemptions: {namespaces: [a, a]}",
       "PodSecurity invalid: exemptions.namespaces[1]: Duplicate value: \"a\""},
      {"exemptions: {usernames: ['']}",
       "PodSecurity invalid: exemptions.usernames[0]: Invalid value: \"\": username must not be "
       "empty"},
      {"defaults: {enforced: baseline}",
       "PodSecurity configuration error: strict decoding error: unknown field "
       "\"defaults.enforced\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Configuration> found = read(std::string(kHead) + c.text);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.status().message(), c.message);
  }
  EXPECT_FALSE(read("apiVersion: v1\nkind: ConfigMap").ok());
  EXPECT_FALSE(read("[]").ok());
}

}  // namespace
}  // namespace proa::apiserver::pod_security
