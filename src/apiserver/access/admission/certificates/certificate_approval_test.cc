#include "apiserver/access/admission/certificates/certificate_approval.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

std::string request_for(const std::string& signer) {
  return "{metadata: {name: mine}, spec: {signerName: " + signer + "}}";
}

struct Case {
  const char* name;
  const char* allowed;  // the signer that the user may approve for
  const char* old;
  const char* now;
  bool refused = false;
};

TEST(CertificateApproval, IsForThoseWhoMayApproveForTheSigner) {
  const Case cases[] = {
      {"that signer", "abc.com/xyz", "abc.com/xyz", "abc.com/xyz"},
      {"all of the domain", "abc.com/*", "abc.com/xyz", "abc.com/xyz"},
      {"another signer", "notabc.com/xyz", "abc.com/xyz", "abc.com/xyz", true},
      {"nothing", "", "abc.com/xyz", "abc.com/xyz", true},
      {"the new signer only", "allowed.com/xyz", "abc.com/xyz", "allowed.com/xyz", true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PluginWorld world;
    world.authorizer.allows = [&](const Attributes& asked) {
      return asked.verb == "approve" && asked.name == c.allowed;
    };
    const auto plugin = make_certificate_approval(world.context()).value();
    PluginCase change(Operation::kUpdate, "certificates.k8s.io", "certificatesigningrequests",
                      "approval");
    change.named("mine").old(request_for(c.old)).object(request_for(c.now));
    EXPECT_EQ(words(change.validate(*plugin)),
              c.refused ? "certificatesigningrequests.certificates.k8s.io \"mine\" is forbidden: "
                          "user not permitted to approve requests with signerName \"abc.com/xyz\""
                        : "");
  }
}

TEST(CertificateApproval, IsNotConcernedWithOtherChanges) {
  PluginWorld world;
  const auto plugin = make_certificate_approval(world.context()).value();
  for (const char* part : {"", "status"}) {
    PluginCase change(Operation::kUpdate, "certificates.k8s.io", "certificatesigningrequests",
                      part);
    change.named("mine").old(request_for("abc.com/xyz")).object(request_for("abc.com/xyz"));
    EXPECT_EQ(words(change.validate(*plugin)), "");
  }
  EXPECT_TRUE(world.authorizer.asked.empty());
}

}  // namespace
}  // namespace proa::apiserver
