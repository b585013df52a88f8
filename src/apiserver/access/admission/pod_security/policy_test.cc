#include "apiserver/access/admission/pod_security/policy.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "json/yaml.h"

namespace proa::apiserver::pod_security {
namespace {

TEST(ParsePodSecurityVersion, TakesReleasesOfOneMajor) {
  EXPECT_EQ(parse_version("latest"), Version{});
  for (const int64_t minor : {0, 1, 9, 10, 20, 10000}) {
    const std::string text = "v1." + std::to_string(minor);
    const Version version{.latest = false, .minor = minor};
    EXPECT_EQ(parse_version(text), version);
    EXPECT_EQ(version.str(), text);
  }
  for (const char* text : {"", "foo", "v1", "v1.", "1.1", "v2.0", "v1.01", "v1.-1", "v1.+1",
                           "v1.1 ", "v1.1.1", "Latest", "v1.99999999999999999999"}) {
    EXPECT_EQ(parse_version(text), std::nullopt) << text;
  }
}

TEST(PodSecurityVersion, OrdersTheLatestLast) {
  EXPECT_LT((Version{false, 9}), (Version{false, 10}));
  EXPECT_LT((Version{false, 10000}), Version{});
}

// "enforce=baseline enforce-version=v1.22": labels without their common prefix.
json::Document labels_of(std::string_view text) {
  std::string yaml = "other: label\n";
  for (const std::string_view word : split(text, ' ')) {
    if (const auto pair = split_once(word, '=')) {
      yaml += "pod-security.kubernetes.io/" + std::string(pair->before) + ": '" +
              std::string(pair->after) + "'\n";
    }
  }
  return *json::parse_yaml(yaml);
}

std::string shown(const Policy& policy) {
  return policy.enforce.str() + " " + policy.audit.str() + " " + policy.warn.str();
}

TEST(PodSecurityPolicyOf, ReadsLabels) {
  const struct {
    const char* labels;
    const char* policy;  // enforce, audit, warn
    const char* error = nullptr;
  } cases[] = {
      {"", "privileged:latest privileged:latest privileged:latest"},
      {"enforce=baseline", "baseline:latest privileged:latest baseline:latest"},
      {"warn=restricted", "privileged:latest privileged:latest restricted:latest"},
      {"audit=baseline", "privileged:latest baseline:latest privileged:latest"},
      {"enforce=baseline warn=restricted", "baseline:latest privileged:latest restricted:latest"},
      {"enforce=restricted warn=baseline", "restricted:latest privileged:latest baseline:latest"},
      {"enforce=baseline enforce-version=v1.22", "baseline:v1.22 privileged:latest baseline:v1.22"},
      {"enforce=baseline enforce-version=v1.22 warn-version=latest",
       "baseline:v1.22 privileged:latest baseline:latest"},
      {"enforce=baseline warn-version=v1.23", "baseline:latest privileged:latest baseline:v1.23"},
      {"enforce=baseline enforce-version=v1.20 warn=restricted warn-version=v1.21 "
       "audit=restricted audit-version=v1.22",
       "baseline:v1.20 restricted:v1.22 restricted:v1.21"},
      {"enforce=baseline warn=privileged", "baseline:latest privileged:latest privileged:latest"},
      {"enforce=baseline warn=foo", "baseline:latest privileged:latest privileged:latest",
       "metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: \"foo\": must be one of "
       "privileged, baseline, restricted"},
      {"enforce=foo", "restricted:latest privileged:latest privileged:latest",
       "metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"foo\": must be one "
       "of privileged, baseline, restricted"},
      {"audit=foo audit-version=v1.3", "privileged:latest privileged:v1.3 privileged:latest",
       "metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: \"foo\": must be one of "
       "privileged, baseline, restricted"},
      {"enforce=baseline enforce-version=v1", "baseline:latest privileged:latest baseline:latest",
       "metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: \"v1\": must "
       "be \"latest\" or \"v1.x\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.labels);
    const json::Document labels = labels_of(c.labels);
    api::FieldErrors errors;
    EXPECT_EQ(shown(policy_of(labels.root(), {}, errors)), c.policy);
    const std::vector<std::string> expected =
        c.error == nullptr ? std::vector<std::string>() : std::vector<std::string>{c.error};
    EXPECT_EQ(errors.texts(), expected);
  }
}

TEST(PodSecurityPolicyOf, StartsFromTheDefaults) {
  const Standard baseline{Level::kBaseline, {.latest = false, .minor = 23}};
  const Policy defaults{baseline, baseline, baseline};
  api::FieldErrors errors;
  EXPECT_EQ(policy_of({}, defaults, errors), defaults);
  const json::Document labels = labels_of("enforce=privileged warn-version=latest");
  EXPECT_EQ(shown(policy_of(labels.root(), defaults, errors)),
            "privileged:v1.23 baseline:v1.23 baseline:latest");
  EXPECT_TRUE(errors.empty());
}

TEST(PodSecurityPolicy, IsEquivalentWhateverTheVersionOfPrivileged) {
  Policy policy;
  policy.enforce.version = {.latest = false, .minor = 20};
  EXPECT_TRUE(policy.allows_everything());
  EXPECT_TRUE(policy.is_equivalent({}));
  policy.audit.level = Level::kBaseline;
  EXPECT_FALSE(policy.allows_everything());
  Policy other = policy;
  other.audit.version = {.latest = false, .minor = 20};
  EXPECT_FALSE(policy.is_equivalent(other));
}

}  // namespace
}  // namespace proa::apiserver::pod_security
