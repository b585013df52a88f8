#include "apiserver/access/admission/certificates/certificate_signing.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

std::string request_for(const std::string& signer, const std::string& status) {
  return "{metadata: {name: mine}, spec: {signerName: " + signer + "}, status: {" + status + "}}";
}

struct Case {
  const char* name;
  const char* allowed;  // the signer that the user may sign for
  std::string old;
  std::string now;
  bool refused = false;
};

constexpr const char* kSigned = "certificate: ZGF0YQ==";
constexpr const char* kFailed = "conditions: [{type: Failed, status: 'True'}]";

TEST(CertificateSigning, IsForThoseWhoMaySignForTheSigner) {
  const Case cases[] = {
      {"nothing changes", "", request_for("abc.com/xyz", kSigned),
       request_for("abc.com/xyz", kSigned)},
      {"nothing but an empty list", "", request_for("abc.com/xyz", "conditions: []"),
       request_for("abc.com/xyz", "")},
      {"a certificate, without permission", "", request_for("abc.com/xyz", ""),
       request_for("abc.com/xyz", kSigned), true},
      {"a condition, without permission", "", request_for("abc.com/xyz", ""),
       request_for("abc.com/xyz", kFailed), true},
      {"a condition is taken away", "", request_for("abc.com/xyz", kFailed),
       request_for("abc.com/xyz", ""), true},
      {"that signer", "abc.com/xyz", request_for("abc.com/xyz", ""),
       request_for("abc.com/xyz", kSigned)},
      {"all of the domain", "abc.com/*", request_for("abc.com/xyz", ""),
       request_for("abc.com/xyz", kSigned)},
      {"another signer", "notabc.com/xyz", request_for("abc.com/xyz", ""),
       request_for("abc.com/xyz", kSigned), true},
      {"the new signer only", "allowed.com/xyz", request_for("abc.com/xyz", ""),
       request_for("allowed.com/xyz", kSigned), true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PluginWorld world;
    world.authorizer.allows = [&](const Attributes& asked) {
      return asked.verb == "sign" && asked.name == c.allowed;
    };
    const auto plugin = make_certificate_signing(world.context()).value();
    PluginCase change(Operation::kUpdate, "certificates.k8s.io", "certificatesigningrequests",
                      "status");
    EXPECT_EQ(words(change.named("mine").old(c.old).object(c.now).validate(*plugin)),
              c.refused ? "certificatesigningrequests.certificates.k8s.io \"mine\" is forbidden: "
                          "user not permitted to sign requests with signerName \"abc.com/xyz\""
                        : "");
  }
}

TEST(CertificateSigning, IsNotConcernedWithOtherChanges) {
  PluginWorld world;
  const auto plugin = make_certificate_signing(world.context()).value();
  for (const char* part : {"", "approval"}) {
    PluginCase change(Operation::kUpdate, "certificates.k8s.io", "certificatesigningrequests",
                      part);
    change.named("mine").old(request_for("a.com/b", "")).object(request_for("a.com/b", kSigned));
    EXPECT_EQ(words(change.validate(*plugin)), "");
  }
  EXPECT_TRUE(world.authorizer.asked.empty());
}

}  // namespace
}  // namespace proa::apiserver
