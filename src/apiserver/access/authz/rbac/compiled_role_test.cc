#include "apiserver/access/authz/rbac/compiled_role.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

// "get pods/log of apps named web", "get at /healthz"; ' for an empty text.
Attributes parse(std::string_view text) {
  const auto word = [&text]() {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view found = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return found == "'" ? std::string_view() : found;
  };
  Attributes asked;
  asked.verb = word();
  const std::string_view what = word();
  if (what == "at") {
    asked.is_resource = false;
    asked.path = word();
    return asked;
  }
  const size_t slash = what.find('/');
  asked.resource = what.substr(0, slash);
  if (slash != std::string_view::npos) asked.subresource = what.substr(slash + 1);
  while (!text.empty()) {
    const bool group = word() == "of";
    (group ? asked.group : asked.name) = word();
  }
  return asked;
}

struct Case {
  const char* name;
  std::vector<PolicyRule> rules;
  std::vector<const char*> allowed;
  std::vector<const char*> refused;
};

TEST(CompiledRole, AllowsWhatARuleSays) {
  const Case cases[] = {
      {"no rules", {}, {}, {"get pods", "get at /"}},
      {"a verb on a resource",
       {{.verbs = {"get"}, .groups = {""}, .resources = {"pods"}}},
       {"get pods", "get pods named web"},
       {"list pods", "get pods/log", "get pods of apps", "get pod", "get podss", "GET pods",
        "get Pods", "get at pods", "' pods", "get '", "* pods"}},
      {"a subresource",
       {{.verbs = {"get"}, .groups = {""}, .resources = {"pods/log"}}},
       {"get pods/log"},
       {"get pods", "get pods/exec", "get pods/log/x", "get services/log"}},
      {"a subresource of any resource",
       {{.verbs = {"update"}, .groups = {"*"}, .resources = {"*/scale"}}},
       {"update deployments/scale of apps", "update x/scale"},
       {"update deployments of apps", "update deployments/status of apps", "update scale",
        "update xscale"}},
      {"pods/* is no pattern",
       {{.verbs = {"*"}, .groups = {"*"}, .resources = {"pods/*"}}},
       {"get pods/*"},
       {"get pods/log", "get pods"}},
      {"everything",
       {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}},
       {"get pods", "frob pods/log of apps named web", "' '"},
       {"get at /healthz"}},
      {"any verb of one group",
       {{.verbs = {"*"}, .groups = {"apps"}, .resources = {"*"}}},
       {"get deployments of apps", "frob deployments/scale of apps"},
       {"get pods"}},
      {"unusual verbs",
       {{.verbs = {"frob", "sign"}, .groups = {""}, .resources = {"signers"}}},
       {"frob signers", "sign signers"},
       {"approve signers", "frobs signers", "get signers"}},
      {"names",
       {{.verbs = {"get"}, .groups = {""}, .resources = {"secrets"}, .names = {"b", "a"}}},
       {"get secrets named a", "get secrets named b"},
       {"get secrets", "get secrets named c", "get secrets named A"}},
      {"rules do not mix",
       {{.verbs = {"get"}, .groups = {""}, .resources = {"pods"}},
        {.verbs = {"delete"}, .groups = {"apps"}, .resources = {"deployments"}}},
       {"get pods", "delete deployments of apps"},
       {"delete pods", "get deployments of apps", "get deployments", "delete pods of apps"}},
      {"several rules for one resource",
       {{.verbs = {"get"}, .groups = {""}, .resources = {"pods"}, .names = {"a"}},
        {.verbs = {"get"}, .groups = {"apps"}, .resources = {"pods", "pods"}},
        {.verbs = {"list"}, .groups = {""}, .resources = {"pods"}}},
       {"get pods named a", "get pods of apps", "list pods"},
       {"get pods", "get pods named b"}},
      {"paths",
       {{.verbs = {"get"}, .paths = {"/healthz", "/apis/*"}}},
       {"get at /healthz", "get at /apis/", "get at /apis/apps"},
       {"post at /healthz", "get at /healthz/etcd", "get at /apis", "get healthz"}},
      {"any path", {{.verbs = {"*"}, .paths = {"*"}}}, {"get at /x", "post at '"}, {"get pods"}},
      {"no groups allow nothing",
       {{.verbs = {"get"}, .resources = {"pods"}}},
       {},
       {"get pods", "get pods of apps"}},
      {"no verbs allow nothing",
       {{.groups = {""}, .resources = {"pods"}}},
       {},
       {"get pods", "' pods"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const CompiledRole role(c.rules);
    for (const char* text : c.allowed) {
      const Attributes asked = parse(text);
      EXPECT_TRUE(role.allows(AccessQuestion(asked))) << text;
    }
    for (const char* text : c.refused) {
      const Attributes asked = parse(text);
      EXPECT_FALSE(role.allows(AccessQuestion(asked))) << text;
    }
    EXPECT_TRUE(std::equal(role.rules().begin(), role.rules().end(), c.rules.begin()));
  }
}

// More resources than bits in the filter.
TEST(CompiledRole, FindsOneOfMany) {
  std::vector<PolicyRule> rules(300);
  for (size_t i = 0; i < rules.size(); ++i) {
    rules[i] = {.verbs = {"get"}, .groups = {""}, .resources = {"kind" + std::to_string(i)}};
  }
  const CompiledRole role(std::move(rules));
  for (int i = 0; i < 600; ++i) {
    const std::string text = "get kind" + std::to_string(i);
    const Attributes asked = parse(text);
    EXPECT_EQ(role.allows(AccessQuestion(asked)), i < 300) << text;
  }
}

}  // namespace
}  // namespace proa::apiserver
