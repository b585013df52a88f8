#include "controllers/network/slices/slice_plan.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/print.h"
#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

api::ObjectPtr make_service(std::string_view spec) {
  return api::Object::make(
      fmt::format(R"({{"kind":"Service","apiVersion":"v1","metadata":{{"name":"web",)"
                  R"("namespace":"default","uid":"u1"}},"spec":{}}})",
                  spec));
}

class SlicePlanTest : public testing::Test {
 protected:
  SliceWrites plan(const api::ObjectPtr& service, IpFamily family,
                   const std::vector<api::ObjectPtr>& pods,
                   std::vector<api::ObjectPtr> existing = {}) {
    SlicePlan plan(*service, family, std::move(existing));
    for (const api::ObjectPtr& pod : pods) plan.add(*pod, nullptr);
    plan.pack(std::nullopt);
    SliceWrites writes;
    EXPECT_TRUE(plan.add_writes({services_, *service}, std::nullopt, writes).ok());
    return writes;
  }
  static std::string only_created(const SliceWrites& writes) {
    EXPECT_EQ(writes.create.size(), 1U);
    return describe_slice(writes.create.front().root());
  }
  // As the API server would have it.
  static api::ObjectPtr stored(const json::Document& created, std::string_view name) {
    json::Document document = created.copy();
    api::Edit(document).object("metadata").set("name", name);
    return api::Object::make(json::print(document.root()));
  }

  const api::Resource& services_ = *api::builtin_schema().find_resource("", "v1", "services");
  const api::ObjectPtr dual_ = make_service(
      R"({"clusterIP":"10.96.0.1","ipFamilies":["IPv6","IPv4"],"selector":{"app":"web"},)"
      R"("ports":[{"port":80,"targetPort":8080}]})");
};

TEST_F(SlicePlanTest, EachFamilyHasItsOwn) {
  const std::vector<api::ObjectPtr> pods = {
      TestPod{.name = "a", .addresses = {"10.0.0.1", "2001:db8::1"}}.object(),
      TestPod{.name = "b", .addresses = {"10.0.0.2"}}.object()};
  EXPECT_EQ(only_created(plan(dual_, IpFamily::kV4, pods)),
            "IPv4 :8080 10.0.0.1(rs-) 10.0.0.2(rs-)");
  EXPECT_EQ(only_created(plan(dual_, IpFamily::kV6, pods)), "IPv6 :8080 2001:db8::1(rs-)");
}

TEST_F(SlicePlanTest, APlaceholderStandsForNothing) {
  SliceWrites first = plan(dual_, IpFamily::kV4, {});
  EXPECT_EQ(only_created(first), "IPv4");
  const api::ObjectPtr placeholder = stored(first.create.front(), "web-1");
  const SliceWrites again = plan(dual_, IpFamily::kV4, {}, {placeholder});
  EXPECT_TRUE(again.create.empty() && again.update.empty() && again.remove.empty());
  // It is used for what comes.
  const SliceWrites filled =
      plan(dual_, IpFamily::kV4, {TestPod{.name = "a", .addresses = {"10.0.0.1"}}.object()},
           {placeholder});
  EXPECT_TRUE(filled.create.empty() && filled.remove.empty());
  ASSERT_EQ(filled.update.size(), 1U);
  EXPECT_EQ(describe_slice(filled.update.front().after.root()), "IPv4 :8080 10.0.0.1(rs-)");
}

TEST_F(SlicePlanTest, ThoseOfAnOlderServiceGo) {
  SliceWrites first = plan(dual_, IpFamily::kV4, {});
  const api::ObjectPtr old = stored(first.create.front(), "web-1");
  const api::ObjectPtr again = api::Object::make([&] {
    json::Document document = dual_->document().value();
    api::Edit(document).object("metadata").set("uid", "u2");
    return json::print(document.root());
  }());
  const SliceWrites writes = plan(again, IpFamily::kV4, {}, {old});
  EXPECT_EQ(writes.create.size(), 1U);
  EXPECT_EQ(writes.remove, std::vector{old});
}

TEST_F(SlicePlanTest, AServiceThatGoesGetsNoNewOnes) {
  const api::ObjectPtr going = api::Object::make([&] {
    json::Document document = dual_->document().value();
    api::Edit(document).object("metadata").set("deletionTimestamp", "2026-01-01T00:00:00Z");
    return json::print(document.root());
  }());
  EXPECT_TRUE(plan(going, IpFamily::kV4, {}).create.empty());
}

TEST_F(SlicePlanTest, FamiliesFollowFromTheAddressWhereNobodySaysThem) {
  EXPECT_EQ(service_facts(*make_service(R"({"clusterIP":"2001:db8::1"})")).families,
            std::vector{IpFamily::kV6});
  EXPECT_EQ(service_facts(*make_service(R"({"clusterIP":"None"})")).families.size(), 2U);
}

TEST(ServiceFacts, TheOlderAnnotationGoesFirst) {
  const auto is_auto = [](std::string_view annotations) {
    return service_facts(*api::Object::make(fmt::format(
                             R"({{"metadata":{{"name":"a","annotations":{{{}}}}}}})", annotations)))
        .topology_mode_auto;
  };
  EXPECT_FALSE(is_auto(""));
  EXPECT_TRUE(is_auto(R"("service.kubernetes.io/topology-mode":"Auto")"));
  EXPECT_TRUE(is_auto(R"("service.kubernetes.io/topology-aware-hints":"auto")"));
  EXPECT_FALSE(is_auto(R"("service.kubernetes.io/topology-aware-hints":"Disabled",)"
                       R"("service.kubernetes.io/topology-mode":"Auto")"));
}

}  // namespace
}  // namespace proa::controllers
