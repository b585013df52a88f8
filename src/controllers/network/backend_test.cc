#include "controllers/network/backend.h"

#include <gtest/gtest.h>

#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

TEST(Backend, AddressesAreThoseOfTheirFamilyInTheirUsualForm) {
  const api::ObjectPtr pod =
      TestPod{.name = "a", .addresses = {"2001:DB8:0::1", "010.0.0.1", "10.0.0.2"}}.object();
  EXPECT_EQ(*backend(*pod).address_of(IpFamily::kV4), "10.0.0.1");
  EXPECT_EQ(*backend(*pod).address_of(IpFamily::kV6), "2001:db8::1");
  const api::ObjectPtr other = TestPod{.name = "a", .addresses = {"10.0.0.1"}}.object();
  EXPECT_EQ(backend(*other).address_of(IpFamily::kV6), nullptr);
}

TEST(Backend, PortsAreFoundByNumberOrByNameAndProtocol) {
  const api::ObjectPtr pod =
      TestPod{.name = "a",
              .more_spec = R"(,"initContainers":[{"name":"once","ports":[{"name":"setup",)"
                           R"("containerPort":1}]},{"name":"side","restartPolicy":"Always",)"
                           R"("ports":[{"name":"metrics","containerPort":9090}]}])",
              .more_container = R"(,"ports":[{"name":"http","containerPort":8080},)"
                                R"({"name":"dns","containerPort":53,"protocol":"UDP"}])"}
          .object();
  struct Case {
    const char* name;
    ServicePort port;
    std::optional<int64_t> number;
  };
  const Case cases[] = {
      {"number", {.protocol = "TCP", .target_number = 81}, 81},
      {"name", {.protocol = "TCP", .target_name = "http"}, 8080},
      {"other protocol", {.protocol = "TCP", .target_name = "dns"}, std::nullopt},
      {"udp", {.protocol = "UDP", .target_name = "dns"}, 53},
      {"of a sidecar", {.protocol = "TCP", .target_name = "metrics"}, 9090},
      {"of a container that ends", {.protocol = "TCP", .target_name = "setup"}, std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(backend(*pod).number_of(c.port), c.number);
  }
}

TEST(Backend, CountsWhileItHasAnAddressAndHasNotFinished) {
  EXPECT_TRUE(
      is_backend(*TestPod{.name = "a", .addresses = {"10.0.0.1"}, .ready = false}.object()));
  EXPECT_FALSE(is_backend(*TestPod{.name = "a"}.object()));
  for (const char* phase : {"Succeeded", "Failed"}) {
    EXPECT_FALSE(
        is_backend(*TestPod{.name = "a", .addresses = {"10.0.0.1"}, .phase = phase}.object()));
  }
}

TEST(Backend, ServicesSeeOnlySomeChanges) {
  const TestPod base{.name = "a", .addresses = {"10.0.0.1"}};
  const auto same_as = [&](const TestPod& other) {
    return is_same_backend(*base.object(), *other.object());
  };
  TestPod changed = base;
  changed.more_metadata = R"(,"annotations":{"a":"b"},"resourceVersion":"7")";
  EXPECT_TRUE(same_as(changed));
  changed = base;
  changed.ready = false;
  EXPECT_FALSE(same_as(changed));
  changed = base;
  changed.addresses = {"10.0.0.2"};
  EXPECT_FALSE(same_as(changed));
  changed = base;
  changed.labels = R"("app":"other")";
  EXPECT_FALSE(same_as(changed));
  changed = base;
  changed.phase = "Failed";
  EXPECT_FALSE(same_as(changed));
  changed = base;
  changed.more_spec = R"(,"hostname":"h")";
  EXPECT_FALSE(same_as(changed));
  changed = base;
  changed.more_metadata = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
  EXPECT_FALSE(same_as(changed));
}

}  // namespace
}  // namespace proa::controllers
