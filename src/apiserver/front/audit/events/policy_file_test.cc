#include "apiserver/front/audit/events/policy_file.h"

#include <gtest/gtest.h>

namespace proa::apiserver::audit {
namespace {

constexpr const char* kHead = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

std::string problem_of(const std::string& text) {
  std::vector<std::string> ignored;
  const Result<Policy> policy = read_policy(text, ignored);
  return policy ? "" : policy.status().message();
}

TEST(PolicyFile, RejectsWithUpstreamsMessages) {
  struct Case {
    const char* rest;
    const char* problem;
  };
  const Case cases[] = {
      {"rules: []", "loaded illegal policy with 0 rules"},
      {"", "loaded illegal policy with 0 rules"},
      {"rules: [{}]", "rules[0].level: Required value"},
      {"rules: [null]", "rules[0].level: Required value"},
      {"rules: [{level: All}]",
       "rules[0].level: Unsupported value: \"All\": supported values: \"None\", \"Metadata\", "
       "\"Request\", \"RequestResponse\""},
      {"omitStages: [Start]\nrules: [{level: None}]",
       "omitStages[0]: Invalid value: \"Start\": allowed stages are "
       "RequestReceived,ResponseStarted,ResponseComplete,Panic"},
      {"rules: [{level: None, nonResourceURLs: [healthz, '/a*b']}]",
       "[rules[0].nonResourceURLs[0]: Invalid value: \"healthz\": non-resource URL rules must "
       "begin with a '/' character, rules[0].nonResourceURLs[1]: Invalid value: \"/a*b\": "
       "non-resource URL wildcards '*' must be the final character of the rule]"},
      {"rules: [{level: None, resources: [{resourceNames: [a]}]}]",
       "rules[0].resources.resourceNames: Invalid value: [\"a\"]: using resourceNames requires at "
       "least one resource"},
      {"rules: [{level: None, nonResourceURLs: ['/a'], namespaces: [b]}]",
       "rules[0].nonResourceURLs: Invalid value: [\"/a\"]: rules cannot apply to both regular "
       "resources and non-resource URLs"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.rest);
    EXPECT_EQ(problem_of(std::string(kHead) + c.rest), c.problem);
  }
  EXPECT_NE(problem_of(std::string(kHead) +
                       "rules: [{level: None, resources: [{group: rbac.authorization.k8s.io/v1}]}]")
                .find("rules[0].resources.group: Invalid value: \"rbac.authorization.k8s.io/v1\""),
            std::string::npos);
}

TEST(PolicyFile, RejectsOtherDocuments) {
  EXPECT_NE(problem_of("{apiVersion: audit.k8s.io/v1beta1, kind: Policy, rules: [{level: None}]}"),
            "");
  EXPECT_NE(problem_of("{kind: Policy, rules: [{level: None}]}"), "");
  EXPECT_NE(problem_of("{apiVersion: audit.k8s.io/v1, kind: Event}"), "");
  EXPECT_NE(problem_of("{"), "");
  const std::string expected = "failed decoding: expected a Policy of audit.k8s.io/v1, ";
  EXPECT_TRUE(problem_of("").ends_with(expected + "but the file is empty")) << problem_of("");
  EXPECT_TRUE(problem_of("rules: []").ends_with(expected + "but the file has no kind"));
  EXPECT_TRUE(problem_of("kind: Policy").ends_with(expected + "but the file has no apiVersion"));
}

// A list that is none must not read as "everybody".
TEST(PolicyFile, RejectsValuesOfOtherTypes) {
  for (const char* rule :
       {"users: jane", "users: [1]", "userGroups: {a: b}", "verbs: get", "namespaces: default",
        "resources: {group: apps}", "resources: [apps]", "resources: [{resources: pods}]",
        "resources: [{resources: [pods], resourceNames: web}]", "nonResourceURLs: /healthz",
        "omitStages: Panic", "omitManagedFields: 'true'"}) {
    SCOPED_TRACE(rule);
    EXPECT_NE(problem_of(std::string(kHead) + "rules: [{level: None, " + rule + "}]"), "");
  }
  EXPECT_NE(problem_of(std::string(kHead) + "rules: {level: None}"), "");
  EXPECT_NE(problem_of(std::string(kHead) + "rules: [None]"), "");
  EXPECT_NE(problem_of(std::string(kHead) + "rules: [{level: 1}]"), "");
}

TEST(PolicyFile, ToleratesUnknownAndDuplicateFields) {
  std::vector<std::string> ignored;
  const Result<Policy> policy = read_policy(
      std::string(kHead) + "other: 1\nrules:\n- level: Metadata\n  level: None\n  user: [jane]\n",
      ignored);
  ASSERT_TRUE(policy.ok()) << policy.status().message();
  EXPECT_EQ(policy->evaluate({}).level, Level::kNone);
  ASSERT_EQ(ignored.size(), 3u);
  EXPECT_EQ(ignored[1], "unknown field \"other\"");
  EXPECT_EQ(ignored[2], "unknown field \"rules[0].user\"");
}

}  // namespace
}  // namespace proa::apiserver::audit
