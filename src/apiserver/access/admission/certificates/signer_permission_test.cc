#include "apiserver/access/admission/certificates/signer_permission.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

TEST(MayForSigner, AsksForTheSignerAndThenForItsDomain) {
  const struct {
    const char* allowed;
    bool may;
  } cases[] = {{"abc.com/xyz", true}, {"abc.com/*", true},       {"abc.com", false},
               {"*", false},          {"notabc.com/xyz", false}, {"abc.com/xy", false}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.allowed);
    ScriptedAuthorizer authorizer;
    authorizer.allows = [&](const Attributes& asked) {
      return asked.name == c.allowed && asked.verb == "sign" && asked.user->name == "joe" &&
             asked.group == "certificates.k8s.io" && asked.version == "*" &&
             asked.resource == "signers" && asked.subresource.empty() && asked.name_space.empty() &&
             asked.is_resource;
    };
    EXPECT_EQ(may_for_signer(authorizer, {.name = "joe"}, "sign", "abc.com/xyz"), c.may);
  }
}

TEST(MayForSigner, AsksNoMoreThanItMust) {
  ScriptedAuthorizer authorizer;
  EXPECT_FALSE(may_for_signer(authorizer, {}, "approve", "abc.com/xyz"));
  EXPECT_EQ(authorizer.asked,
            (std::vector<std::string>{"approve signers abc.com/xyz", "approve signers abc.com/*"}));
  authorizer.asked.clear();
  authorizer.allows = [](const Attributes&) { return true; };
  EXPECT_TRUE(may_for_signer(authorizer, {}, "approve", "abc.com/xyz"));
  EXPECT_EQ(authorizer.asked, (std::vector<std::string>{"approve signers abc.com/xyz"}));
}

}  // namespace
}  // namespace proa::apiserver
