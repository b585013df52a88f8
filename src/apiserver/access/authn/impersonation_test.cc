#include "apiserver/access/authn/impersonation.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "base/strings.h"

namespace proa::apiserver {
namespace {

using Names = std::vector<std::string>;

// A request on one line: "impersonate users/anyone", "impersonate-on:user-info:get pods/foo in
// bar", "impersonate:user-info userextras/scopes/a". Core resources have no group.
std::string question(const Attributes& attributes) {
  if (!attributes.is_resource) {
    return std::string(attributes.verb) + " " + std::string(attributes.path);
  }
  std::string text(attributes.verb);
  text.append(" ").append(attributes.resource);
  if (!attributes.group.empty()) text.append(".").append(attributes.group);
  if (!attributes.subresource.empty()) text.append("/").append(attributes.subresource);
  if (!attributes.name.empty()) text.append(" ").append(attributes.name);
  if (!attributes.name_space.empty()) text.append(" in ").append(attributes.name_space);
  return text;
}

class FakeAuthorizer final : public Authorizer {
 public:
  Verdict authorize(const Attributes& attributes) override {
    std::string text = question(attributes);
    user = *attributes.user;
    const bool allowed = allows(text);
    asked.push_back((allowed ? "yes: " : "no: ") + std::move(text));
    if (allowed) return {Decision::kAllow, ""};
    return {Decision::kNoOpinion, "deny by default"};
  }
  void list_rules(const User&, std::string_view, RuleList&) override {}

  std::function<bool(std::string_view)> allows = [](std::string_view) { return false; };
  Names asked;
  User user;  // of the last request
};

class ImpersonationTest : public testing::Test {
 protected:
  ImpersonationTest() { caller_.name = "tester"; }

  // Allows requests with one of these prefixes.
  void allow(Names prefixes) {
    authorizer_.allows = [prefixes = std::move(prefixes)](std::string_view text) {
      return std::any_of(prefixes.begin(), prefixes.end(),
                         [&](const std::string& prefix) { return text.starts_with(prefix); });
    };
  }
  Result<std::optional<Impersonated>> impersonate(const http::Headers& headers,
                                                  std::string_view verb = "get") {
    authorizer_.asked.clear();
    return impersonation_.impersonate(headers, {.user = &caller_,
                                                .verb = verb,
                                                .is_resource = true,
                                                .group = "",
                                                .version = "v1",
                                                .resource = "pods",
                                                .subresource = "",
                                                .name_space = "bar",
                                                .name = "foo",
                                                .path = ""});
  }
  // "name uid [groups] key=values;" and the constraint; or the code and message.
  std::string outcome(const http::Headers& headers, std::string_view verb = "get") {
    const auto done = impersonate(headers, verb);
    if (!done) return std::to_string(done.status().code()) + " " + done.status().message();
    if (!*done) return "-";
    const User& user = *(*done)->user;
    std::string text = user.name + (user.uid.empty() ? "" : " uid=" + user.uid) + " [" +
                       join(user.groups, " ") + "]";
    for (const auto& [key, values] : user.extra) text += " " + key + "=" + join(values, ",");
    return text + ((*done)->constraint.empty() ? "" : " by " + (*done)->constraint);
  }

  FakeAuthorizer authorizer_;
  Impersonation impersonation_{authorizer_};
  User caller_;
};

TEST_F(ImpersonationTest, IsNotForThoseWhoNameNobody) {
  EXPECT_EQ(outcome({}), "-");
  EXPECT_EQ(outcome({{"impersonate-user", ""}}), "-");
  EXPECT_EQ(outcome({{"impersonate-other", "x"}}), "-");
  EXPECT_TRUE(authorizer_.asked.empty());
}

TEST_F(ImpersonationTest, NeedsTheNameOfAUser) {
  EXPECT_EQ(outcome({{"impersonate-group", "some-group"}}),
            "400 requested &user.DefaultInfo{Name:\"\", UID:\"\", "
            "Groups:[]string{\"some-group\"}, Extra:map[string][]string(nil)} without "
            "impersonating a user name");
  EXPECT_EQ(outcome({{"impersonate-uid", "u"}}),
            "400 requested &user.DefaultInfo{Name:\"\", UID:\"u\", Groups:[]string(nil), "
            "Extra:map[string][]string(nil)} without impersonating a user name");
  EXPECT_EQ(outcome({{"impersonate-extra-b", "1"},
                     {"impersonate-extra-a", "2"},
                     {"impersonate-extra-b", "3"}}),
            "400 requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string(nil), "
            "Extra:map[string][]string{\"a\":[]string{\"2\"}, \"b\":[]string{\"1\", \"3\"}}} "
            "without impersonating a user name");
  EXPECT_TRUE(impersonate({{"impersonate-uid", "u"}}).is(Reason::kBadRequest));
}

TEST_F(ImpersonationTest, MayBePlain) {
  allow({"impersonate "});
  struct Case {
    http::Headers headers;
    std::string expected;
  };
  const Case cases[] = {
      {{{"impersonate-user", "anyone"}}, "anyone [system:authenticated]"},
      {{{"impersonate-user", "anyone"}, {"impersonate-user", "second"}},
       "anyone [system:authenticated]"},
      {{{"impersonate-user", "a"}, {"impersonate-group", "g"}}, "a [g system:authenticated]"},
      {{{"impersonate-user", "a"}, {"impersonate-group", "g"}, {"impersonate-group", "h"}},
       "a [g h system:authenticated]"},
      {{{"impersonate-user", "a"}, {"impersonate-group", "system:masters"}},
       "a [system:masters system:authenticated]"},
      {{{"impersonate-user", "a"}, {"impersonate-group", "system:authenticated"}},
       "a [system:authenticated]"},
      {{{"impersonate-user", "a"}, {"impersonate-group", "system:unauthenticated"}},
       "a [system:unauthenticated]"},
      {{{"impersonate-user", "system:anonymous"}}, "system:anonymous [system:unauthenticated]"},
      {{{"impersonate-user", "system:anonymous"}, {"impersonate-group", "system:unauthenticated"}},
       "system:anonymous [system:unauthenticated]"},
      {{{"impersonate-user", "system:serviceaccount:foo:default"}},
       "system:serviceaccount:foo:default [system:serviceaccounts system:serviceaccounts:foo "
       "system:authenticated]"},
      {{{"impersonate-user", "system:serviceaccount:foo:default"}, {"impersonate-group", "g"}},
       "system:serviceaccount:foo:default [g system:authenticated]"},
      {{{"impersonate-user", "a"},
        {"impersonate-uid", "some-uid"},
        {"impersonate-extra-scopes", "x"},
        {"impersonate-extra-scopes", "y"},
        {"impersonate-extra-example.com%2fescaped", "z"}},
       "a uid=some-uid [system:authenticated] scopes=x,y example.com/escaped=z"},
      {{{"impersonate-user", "system:node:n1"}}, "system:node:n1 [system:authenticated]"},
  };
  for (const Case& c : cases) EXPECT_EQ(outcome(c.headers), c.expected);
}

TEST_F(ImpersonationTest, AsksForEachThingThatIsNamed) {
  allow({"impersonate "});
  outcome({{"impersonate-user", "a"}});  // plain impersonation is tried first from now on
  outcome({{"impersonate-user", "system:serviceaccount:foo:default"},
           {"impersonate-group", "g"},
           {"impersonate-group", "h"},
           {"impersonate-uid", "u"},
           {"impersonate-extra-scopes", "x"},
           {"impersonate-extra-scopes", "y"}});
  EXPECT_EQ(authorizer_.asked,
            (Names{"yes: impersonate serviceaccounts default in foo",
                   "yes: impersonate uids.authentication.k8s.io u", "yes: impersonate groups g",
                   "yes: impersonate groups h",
                   "yes: impersonate userextras.authentication.k8s.io/scopes x",
                   "yes: impersonate userextras.authentication.k8s.io/scopes y"}));
}

TEST_F(ImpersonationTest, IsRefusedWhenOneThingIs) {
  const http::Headers all = {{"impersonate-user", "a"},
                             {"impersonate-group", "g"},
                             {"impersonate-uid", "u"},
                             {"impersonate-extra-scopes", "x"}};
  const Names needed = {"impersonate users a", "impersonate groups g",
                        "impersonate uids.authentication.k8s.io u",
                        "impersonate userextras.authentication.k8s.io/scopes x"};
  allow(needed);
  EXPECT_EQ(outcome(all), "a uid=u [g system:authenticated] scopes=x");
  for (const std::string& missing : needed) {
    Names rest = needed;
    std::erase(rest, missing);
    allow(rest);
    EXPECT_TRUE(impersonate(all).is(Reason::kForbidden)) << missing;
  }
  allow({"impersonate users", "impersonate userextras.authentication.k8s.io/scopes scope-a"});
  EXPECT_TRUE(impersonate({{"impersonate-user", "a"},
                           {"impersonate-extra-scopes", "scope-a"},
                           {"impersonate-extra-scopes", "scope-b"}})
                  .is(Reason::kForbidden));
}

TEST_F(ImpersonationTest, SaysWhatWasMissing) {
  // The failure of the first attempt is reported.
  EXPECT_EQ(outcome({{"impersonate-user", "anyone"}}),
            "403 pods \"foo\" is forbidden: User \"tester\" cannot impersonate-on:user-info:get "
            "resource \"pods\" in API group \"\" in the namespace \"bar\": deny by default");
  allow({"impersonate-on:user-info:get"});
  const auto refused = impersonate({{"impersonate-user", "anyone"}});
  EXPECT_EQ(
      refused.status().message(),
      "users.authentication.k8s.io \"anyone\" is forbidden: User \"tester\" cannot "
      "impersonate:user-info resource \"users\" in API group \"authentication.k8s.io\" at the "
      "cluster scope: deny by default");
  EXPECT_EQ(refused.status().details().kind, "users");
  EXPECT_EQ(refused.status().details().group, "authentication.k8s.io");
  EXPECT_EQ(refused.status().details().name, "anyone");
  EXPECT_EQ(authorizer_.asked,
            (Names{"yes: impersonate-on:user-info:get pods foo in bar",
                   "no: impersonate:user-info users.authentication.k8s.io anyone",
                   "no: impersonate users anyone"}));
  // A caller that last used plain impersonation gets its failure.
  allow({"impersonate "});
  EXPECT_EQ(outcome({{"impersonate-user", "anyone"}}), "anyone [system:authenticated]");
  allow({});
  EXPECT_EQ(outcome({{"impersonate-user", "anyone"}}),
            "403 users \"anyone\" is forbidden: User \"tester\" cannot impersonate resource "
            "\"users\" in API group \"\" at the cluster scope: deny by default");
}

TEST_F(ImpersonationTest, MayBeConstrainedToUsersAndToWhatIsDone) {
  allow({"impersonate-on:user-info:get pods", "impersonate:user-info users"});
  EXPECT_EQ(outcome({{"impersonate-user", "anyone"}}),
            "anyone [system:authenticated] by impersonate:user-info");
  EXPECT_EQ(outcome({{"impersonate-user", "anyone"}}, "create"),
            "403 pods \"foo\" is forbidden: User \"tester\" cannot impersonate-on:user-info:create "
            "resource \"pods\" in API group \"\" in the namespace \"bar\": deny by default");
  // Neither nodes nor service accounts.
  EXPECT_TRUE(impersonate({{"impersonate-user", "system:node:n1"}}).is(Reason::kForbidden));
  EXPECT_TRUE(
      impersonate({{"impersonate-user", "system:serviceaccount:a:b"}}).is(Reason::kForbidden));
}

TEST_F(ImpersonationTest, MayBeConstrainedToServiceAccounts) {
  allow({"impersonate-on:serviceaccount:get pods",
         "impersonate:serviceaccount serviceaccounts.authentication.k8s.io b in a"});
  const std::string robot = "system:serviceaccount:a:b";
  EXPECT_EQ(outcome({{"impersonate-user", robot}}),
            robot +
                " [system:serviceaccounts system:serviceaccounts:a system:authenticated] by "
                "impersonate:serviceaccount");
  // Only the name can be chosen.
  EXPECT_TRUE(impersonate({{"impersonate-user", robot}, {"impersonate-group", "g"}})
                  .is(Reason::kForbidden));
  EXPECT_TRUE(
      impersonate({{"impersonate-user", robot}, {"impersonate-uid", "u"}}).is(Reason::kForbidden));
  EXPECT_TRUE(
      impersonate({{"impersonate-user", "system:serviceaccount:a:c"}}).is(Reason::kForbidden));
}

TEST_F(ImpersonationTest, MayBeConstrainedToNodes) {
  allow({"impersonate-on:arbitrary-node:get pods",
         "impersonate:arbitrary-node nodes.authentication.k8s.io n1"});
  EXPECT_EQ(outcome({{"impersonate-user", "system:node:n1"}}),
            "system:node:n1 [system:nodes system:authenticated] by impersonate:arbitrary-node");
  EXPECT_EQ(outcome({{"impersonate-user", "system:node:n2"}}),
            "403 nodes.authentication.k8s.io \"n2\" is forbidden: User \"tester\" cannot "
            "impersonate:arbitrary-node resource \"nodes\" in API group "
            "\"authentication.k8s.io\" at the cluster scope: deny by default");
  EXPECT_TRUE(impersonate({{"impersonate-user", "system:node:n1"}, {"impersonate-group", "g"}})
                  .is(Reason::kForbidden));
}

TEST_F(ImpersonationTest, MayBeConstrainedToTheNodeThatOneRunsOn) {
  caller_.name = "system:serviceaccount:default:agent";
  caller_.extra = {{"authentication.kubernetes.io/pod-name", {"p"}},
                   {"authentication.kubernetes.io/node-name", {"n1"}}};
  allow({"impersonate-on:associated-node:get pods",
         "impersonate:associated-node nodes.authentication.k8s.io *"});
  EXPECT_EQ(outcome({{"impersonate-user", "system:node:n1"}}),
            "system:node:n1 [system:nodes system:authenticated] by impersonate:associated-node");
  EXPECT_EQ(authorizer_.asked,
            (Names{"yes: impersonate-on:associated-node:get pods foo in bar",
                   "yes: impersonate:associated-node nodes.authentication.k8s.io *"}));
  // The authorizer decides for all nodes: the node is not passed to it.
  ASSERT_EQ(authorizer_.user.extra.size(), 1u);
  EXPECT_EQ(authorizer_.user.extra[0].first, "authentication.kubernetes.io/associated-node-keys");
  EXPECT_EQ(authorizer_.user.extra[0].second, (Names{"authentication.kubernetes.io/node-name",
                                                     "authentication.kubernetes.io/pod-name"}));
  const http::Headers as_n1 = {{"impersonate-user", "system:node:n1"}};
  EXPECT_TRUE(impersonate({{"impersonate-user", "system:node:n2"}}).is(Reason::kForbidden));
  caller_.extra[1].second = {"n2"};
  EXPECT_TRUE(impersonate(as_n1).is(Reason::kForbidden));
  caller_.extra[1].second = {"n1", "n2"};
  EXPECT_TRUE(impersonate(as_n1).is(Reason::kForbidden));
  caller_.extra[1].second = {"n1"};
  caller_.name = "agent";
  EXPECT_TRUE(impersonate(as_n1).is(Reason::kForbidden));
}

TEST_F(ImpersonationTest, IsStricterWhereItIsConstrained) {
  allow({"impersonate-on:", "impersonate:user-info"});
  const auto with = [](const std::string& name, const std::string& value) {
    return http::Headers{{"impersonate-user", "a"}, {name, value}};
  };
  const std::string cannot =
      " is forbidden: User \"tester\" cannot impersonate:user-info resource ";
  const std::string end = " in API group \"authentication.k8s.io\" at the cluster scope: ";
  EXPECT_EQ(outcome(with("impersonate-group", "system:masters")),
            "403 groups.authentication.k8s.io \"system:masters\"" + cannot + "\"groups\"" + end +
                "impersonating the system:masters group is not allowed");
  EXPECT_EQ(outcome(with("impersonate-group", "")),
            "403 groups.authentication.k8s.io" + cannot + "\"groups\"" + end +
                "impersonating the empty string group is not allowed");
  const std::string extras =
      "403 userextras.authentication.k8s.io" + cannot + "\"userextras\"" + end;
  EXPECT_EQ(outcome(with("impersonate-extra-", "x")),
            extras + "impersonating the empty string key in extra is not allowed");
  EXPECT_EQ(outcome(with("impersonate-extra-acme.io%2fkey", "")),
            extras + "impersonating the empty string value in extra is not allowed");
  EXPECT_EQ(outcome(with("impersonate-extra-acme.io%2f%4bey", "x")),
            extras + "impersonating a non-lowercase key in extra is not allowed: \"acme.io/Key\"");
  EXPECT_EQ(outcome(with("impersonate-extra-key", "x")),
            extras +
                "impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "
                "\"key\": must be a domain-prefixed path (such as \"acme.io/foo\")");
  EXPECT_EQ(outcome(with("impersonate-extra-acme.io%2fkey", "x")),
            "a [system:authenticated] acme.io/key=x by impersonate:user-info");
}

TEST_F(ImpersonationTest, AsksForAllOfManyAtOnce) {
  http::Headers headers = {{"impersonate-user", "bob"}};
  for (const std::string group : {"g1", "g2", "g3", "g4"}) headers.add("impersonate-group", group);
  for (const std::string value : {"1", "2", "3", "4"}) {
    headers.add("impersonate-extra-acme.io%2fkey", value);
  }
  const std::string in_group = "authentication.k8s.io";
  allow({"impersonate-on:", "impersonate:user-info users",
         "impersonate:user-info groups.authentication.k8s.io *",
         "impersonate:user-info userextras.authentication.k8s.io/* *"});
  EXPECT_EQ(outcome(headers),
            "bob [g1 g2 g3 g4 system:authenticated] acme.io/key=1,2,3,4 by impersonate:user-info");
  EXPECT_EQ(authorizer_.asked.size(), 4u);
  // Or for each of them.
  allow({"impersonate-on:", "impersonate:user-info users",
         "impersonate:user-info groups.authentication.k8s.io g",
         "impersonate:user-info userextras.authentication.k8s.io/acme.io/key"});
  EXPECT_TRUE(impersonate(headers).ok());
  EXPECT_EQ(authorizer_.asked.size(), 2u + 5u + 5u);
}

}  // namespace
}  // namespace proa::apiserver
