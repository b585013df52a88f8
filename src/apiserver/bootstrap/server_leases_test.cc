#include "apiserver/bootstrap/server_leases.h"

#include <gtest/gtest.h>

#include "apiserver/objects/keys.h"
#include "json/print.h"
#include "testkit/apiserver/test_cluster.h"
#include "testkit/patience.h"

namespace proa::apiserver {
namespace {

using testkit::TestCluster;

constexpr const char* kEndpoints = "/registry/services/endpoints/default/kubernetes";
constexpr const char* kSlice = "/registry/endpointslices/default/kubernetes";

// A server of those that share a store.
struct Server {
  Server(const std::string& address, std::shared_ptr<store::Store> shared)
      : cluster({.advertise_address = address, .service_cidr = "10.0.0.0/16"}, std::move(shared)),
        leases(*cluster.store, cluster.clock, *parse_ip(address)),
        options({.server = {address, 6443}, .network = cluster.network, .leases = &leases}) {}

  Result<void> start() const { return bootstrap(cluster.context, options); }
  // What its keeper does when an entry came or went.
  Result<void> look() const {
    for (const Kept& kept : kept_objects(cluster.context, options)) {
      if (kept.keys.front() == ServerLeases::kPrefix) return kept.restore();
    }
    return Status(Reason::kNotFound, "nothing keeps the entries of servers");
  }

  TestCluster cluster;
  ServerLeases leases;
  const BootstrapOptions options;
};

std::string stored(const store::Store& store, const char* key, std::string_view field) {
  const auto entry = store.get(key);
  if (!entry.ok() || *entry == nullptr) return "none";
  const json::Document document = *object_of(*entry)->document();
  return json::print(*api::View(document.root())[field].value());
}

std::string subsets_of(const std::string& addresses) {
  return R"([{"addresses":[)" + addresses +
         R"(],"ports":[{"name":"https","port":6443,"protocol":"TCP"}]}])";
}

class ServersTest : public testing::Test {
 protected:
  testkit::FakeClock clock_;
  const std::shared_ptr<store::Store> store_ = store::make_memory_store(clock_);
  const Server first_{"192.0.2.9", store_};
  Server second_{"192.0.2.10", store_};
};

TEST_F(ServersTest, AreEndpointsOfTheirService) {
  ASSERT_TRUE(first_.start().ok());
  EXPECT_EQ(stored(*store_, kEndpoints, "subsets"), subsets_of(R"({"ip":"192.0.2.9"})"));
  ASSERT_TRUE(second_.start().ok());
  EXPECT_EQ(stored(*store_, kEndpoints, "subsets"),
            subsets_of(R"({"ip":"192.0.2.9"},{"ip":"192.0.2.10"})"));
  EXPECT_EQ(stored(*store_, kSlice, "endpoints"),
            R"([{"addresses":["192.0.2.9"],"conditions":{"ready":true}},)"
            R"({"addresses":["192.0.2.10"],"conditions":{"ready":true}}])");
  EXPECT_EQ(stored(*store_, "/registry/masterleases/192.0.2.10", "subsets"),
            R"([{"addresses":[{"ip":"192.0.2.10"}]}])");
}

TEST_F(ServersTest, WriteNothingButTheirEntriesWhenNothingChanged) {
  ASSERT_TRUE(first_.start().ok());
  ASSERT_TRUE(second_.start().ok());
  const auto before = *store_->get(kEndpoints);
  ASSERT_TRUE(first_.look().ok());
  ASSERT_TRUE(second_.look().ok());
  EXPECT_EQ((*store_->get(kEndpoints))->mod_revision(), before->mod_revision());
}

TEST_F(ServersTest, LeaveWhenTheyEnd) {
  ASSERT_TRUE(first_.start().ok());
  ASSERT_TRUE(second_.start().ok());
  second_.leases.release();
  ASSERT_TRUE(first_.look().ok());
  EXPECT_EQ(stored(*store_, kEndpoints, "subsets"), subsets_of(R"({"ip":"192.0.2.9"})"));
  EXPECT_EQ(stored(*store_, "/registry/masterleases/192.0.2.10", "subsets"), "none");
}

TEST_F(ServersTest, AreGoneWhenTheyDoNotRenew) {
  ASSERT_TRUE(first_.start().ok());
  ASSERT_TRUE(second_.start().ok());
  clock_.advance(std::chrono::seconds(10));
  ASSERT_TRUE(first_.look().ok());
  EXPECT_EQ(second_.leases.live()->size(), 2U);
  clock_.advance(std::chrono::seconds(6));
  const std::string key = "/registry/masterleases/192.0.2.10";
  ASSERT_TRUE(testkit::holds_within(std::chrono::seconds(30),
                                    [&] { return *store_->get(key) == nullptr; }));
  ASSERT_TRUE(first_.look().ok());
  EXPECT_EQ(stored(*store_, kEndpoints, "subsets"), subsets_of(R"({"ip":"192.0.2.9"})"));
}

TEST_F(ServersTest, OfAnotherFamilyAreNotAmongTheEndpoints) {
  const Server other("2001:db8::1", store_);
  ASSERT_TRUE(first_.start().ok());
  ASSERT_TRUE(other.leases.live().ok());
  EXPECT_EQ(other.leases.live()->size(), 1U);
}

}  // namespace
}  // namespace proa::apiserver
