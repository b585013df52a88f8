#include "apiserver/bootstrap/config_maps.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "crypto/authority.h"
#include "json/parse.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using testkit::FakeClock;

std::string authority(const char* name, Duration valid_for) {
  crypto::CertificateTemplate wanted;
  wanted.common_name = name;
  wanted.not_before = FakeClock::kStart - std::chrono::hours(48);
  wanted.not_after = FakeClock::kStart + valid_for;
  return crypto::make_authority(wanted)->certificate_pem;
}

// The data that the ConfigMap has after it was stored with `stored`.
std::string revised(const Wanted& wanted, api::Edit stored, std::string_view name) {
  wanted.revise(stored, wanted.document.root());
  return std::string(stored["data"][name].text());
}

json::Document config_map() { return *json::parse(R"({"metadata":{"name":"a"}})"); }

class ConfigMaps : public testing::Test {
 protected:
  Wanted authentication(const AuthenticationOptions& options) {
    std::vector<Wanted> objects;
    add_authentication_config(api::builtin_schema(), options, clock_, objects);
    return std::move(objects[0]);
  }

  FakeClock clock_;
  const std::string ours_ = authority("ours", std::chrono::hours(1));
  const std::string theirs_ = authority("theirs", std::chrono::hours(1));
  const std::string old_ = authority("old", -std::chrono::hours(1));
};

TEST_F(ConfigMaps, PublishAuthoritiesAndHeaders) {
  const Wanted wanted = authentication(
      {.client_authorities_pem = ours_,
       .front_proxy = FrontProxyOptions{.authorities_pem = theirs_, .allowed_names = {"proxy"}}});
  const api::View data = api::View(wanted.document.root())["data"];
  EXPECT_EQ(data["client-ca-file"].text(), ours_);
  EXPECT_EQ(data["requestheader-client-ca-file"].text(), theirs_);
  EXPECT_EQ(data["requestheader-username-headers"].text(), R"(["X-Remote-User"])");
  EXPECT_EQ(data["requestheader-uid-headers"].text(), R"(["X-Remote-Uid"])");
  EXPECT_EQ(data["requestheader-group-headers"].text(), R"(["X-Remote-Group"])");
  EXPECT_EQ(data["requestheader-extra-headers-prefix"].text(), R"(["X-Remote-Extra-"])");
  EXPECT_EQ(data["requestheader-allowed-names"].text(), R"(["proxy"])");
}

TEST_F(ConfigMaps, WithoutProxyHaveNoHeaders) {
  const Wanted wanted = authentication({.client_authorities_pem = ours_});
  EXPECT_EQ(api::View(wanted.document.root())["data"].size(), 1u);
}

TEST_F(ConfigMaps, KeepWhatOtherServersAdded) {
  const Wanted wanted = authentication({.client_authorities_pem = ours_});
  json::Document document = config_map();
  const api::Edit stored(document);
  stored.object("data").set("client-ca-file", theirs_ + old_ + theirs_);
  EXPECT_EQ(revised(wanted, stored, "client-ca-file"), theirs_ + ours_);
  EXPECT_EQ(revised(wanted, stored, "client-ca-file"), theirs_ + ours_);
}

TEST_F(ConfigMaps, AreRepaired) {
  const Wanted wanted = authentication(
      {.client_authorities_pem = ours_,
       .front_proxy = FrontProxyOptions{.authorities_pem = theirs_, .allowed_names = {}}});
  json::Document document = config_map();
  const api::Edit stored(document);
  const api::Edit data = stored.object("data");
  data.set("client-ca-file", "nonsense");
  data.set("requestheader-username-headers", "[\"X-User\", {");
  data.set("requestheader-group-headers", "[\"X-Group\",\"X-Remote-Group\"]");
  EXPECT_EQ(revised(wanted, stored, "client-ca-file"), ours_);
  EXPECT_EQ(data["requestheader-username-headers"].text(), R"(["X-Remote-User"])");
  EXPECT_EQ(data["requestheader-group-headers"].text(), R"(["X-Group","X-Remote-Group"])");
  EXPECT_EQ(data["requestheader-allowed-names"].text(), "[]");
}

TEST_F(ConfigMaps, SayWhenTrackingBegan) {
  std::vector<Wanted> objects;
  add_token_tracking(api::builtin_schema(), clock_.now(), objects);
  const Wanted& wanted = objects[0];
  EXPECT_EQ(api::View(wanted.document.root())["data"]["since"].text(), "2026-01-02");
  json::Document document = config_map();
  const api::Edit stored(document);
  EXPECT_EQ(revised(wanted, stored, "since"), "2026-01-02");
  stored.object("data").set("since", "2025-12-31");
  EXPECT_EQ(revised(wanted, stored, "since"), "2025-12-31");
  for (const char* wrong : {"2025-13-31", "yesterday", "2025-12-31T00:00:00Z", ""}) {
    stored.object("data").set("since", wrong);
    EXPECT_EQ(revised(wanted, stored, "since"), "2026-01-02") << wrong;
  }
}

}  // namespace
}  // namespace proa::apiserver
