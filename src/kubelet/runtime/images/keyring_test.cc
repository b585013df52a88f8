#include "kubelet/runtime/images/keyring.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace proa::kubelet {
namespace {

api::ObjectPtr secret(const std::string& name, const std::string& content, bool is_old = false) {
  return api::Object::make(R"({"metadata":{"name":")" + name + R"(","namespace":"d","uid":"uid-)" +
                           name + R"("},"data":{")" +
                           (is_old ? ".dockercfg" : ".dockerconfigjson") + R"(":")" +
                           to_base64(content) + R"("},"type":"kubernetes.io/)" +
                           (is_old ? "dockercfg" : "dockerconfigjson") + R"("})");
}

std::string users_for(const Keyring& keyring, std::string_view repository) {
  std::string users;
  for (const PullKey& key : keyring.find(repository)) {
    users += key.credentials.user + ":" + key.credentials.password + " ";
  }
  return users;
}

TEST(Covers, MatchesHostsByGlobAndPathsByPrefix) {
  struct Case {
    std::string_view place;
    std::string_view repository;
    bool expected;
  };
  for (const Case& c : {Case{"*.kubernetes.io", "prefix.kubernetes.io/x", true},
                        Case{"prefix.*.io", "prefix.kubernetes.io/x", true},
                        Case{"prefix.kubernetes.*", "prefix.kubernetes.io/x", true},
                        Case{"*-good.kubernetes.io", "prefix-good.kubernetes.io/x", true},
                        Case{"*.kubernetes.io/test", "prefix.kubernetes.io/test", true},
                        Case{"*.*.kubernetes.io", "a.b.kubernetes.io/x", true},
                        Case{"*.kubernetes.io:5000", "a.kubernetes.io:5000/x", true},
                        Case{"*.kubernetes.io:5000", "a.kubernetes.io/x", false},
                        Case{"kubernetes.io", "a.kubernetes.io/x", false},
                        Case{"*.kubernetes.io", "a.b.kubernetes.io/x", false},
                        Case{"*.kubernetes.io/blah", "a.kubernetes.io/x", false},
                        Case{"kubernetes.io/a", "kubernetes.io/ab", true}}) {
    SCOPED_TRACE(c.place);
    SCOPED_TRACE(c.repository);
    EXPECT_EQ(covers(c.place, c.repository), c.expected);
  }
}

TEST(Keyring, FindsTheMostSpecificFirst) {
  Keyring keyring;
  ASSERT_TRUE(keyring
                  .add(*secret("a", R"({"auths":{"quay.io":{"username":"u1","password":"p1"},)"
                                    R"("https://quay.io/v2/team/":{"auth":")" +
                                        to_base64("u2:p:2") + R"("}}})"))
                  .ok());
  ASSERT_TRUE(
      keyring.add(*secret("b", R"({"quay.io":{"username":"u3","password":"p3"}})", true)).ok());
  EXPECT_EQ(users_for(keyring, "quay.io/team/app"), "u2:p:2 u1:p1 u3:p3 ");
  EXPECT_EQ(users_for(keyring, "quay.io/other"), "u1:p1 u3:p3 ");
  EXPECT_EQ(users_for(keyring, "docker.io/library/x"), "");
  EXPECT_EQ(keyring.find("quay.io/x")[1].secret_name, "b");
  EXPECT_NE(keyring.find("quay.io/x")[0].hash, keyring.find("quay.io/x")[1].hash);
}

TEST(Keyring, KnowsDockerHubByItsOldName) {
  Keyring keyring;
  ASSERT_TRUE(keyring
                  .add(*secret("a", R"({"auths":{"https://index.docker.io/v1/":)"
                                    R"({"username":"u","password":"p"}}})"))
                  .ok());
  EXPECT_EQ(users_for(keyring, "docker.io/library/busybox"), "u:p ");
  EXPECT_EQ(users_for(keyring, "quay.io/x"), "");
}

TEST(Keyring, RefusesWhatItCantReadWithoutSayingWhatItWas) {
  Keyring keyring;
  for (const std::string& content :
       {std::string("{\"auths\": password"), std::string(R"({"auths":{"x":{"auth":"cGFzcw=="}}})"),
        std::string(R"({"auths":{"x":{"auth":"??pass"}}})"),
        std::string(R"({"auths":{"x":"password"}})")}) {
    SCOPED_TRACE(content);
    const auto added = keyring.add(*secret("a", content));
    ASSERT_FALSE(added.ok());
    EXPECT_EQ(added.status().message().find("\"pass"), std::string::npos);
    EXPECT_EQ(added.status().message().find("cGFzcw"), std::string::npos);
  }
  // Unpadded base64 is fine, other types of secrets hold nothing.
  EXPECT_TRUE(keyring.add(*secret("a", R"({"auths":{"x.io":{"auth":"dTpwcA"}}})")).ok());
  EXPECT_EQ(users_for(keyring, "x.io/y"), "u:pp ");
  EXPECT_TRUE(keyring.add(*api::Object::make(R"({"type":"Opaque","data":{"a":"x"}})")).ok());
}

}  // namespace
}  // namespace proa::kubelet
