#include "kubelet/node/agent/node_lease.h"
#include "json/parse.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/test_clients.h"

namespace proa::kubelet {
namespace node_lease_test {

constexpr api::UidView kUid("uid-1");

struct Bench {
  NodeLease lease() {
    return {{api.client(), api.clock()},
            *apiserver::find_resource("coordination.k8s.io", "leases"),
            api.clock(),
            api.random(),
            api::NodeNameView("n1"),
            std::chrono::seconds(40)};
  }
  client::Place place() const {
    return {.resource = apiserver::find_resource("coordination.k8s.io", "leases"),
            .name_space = "kube-node-lease",
            .name = "n1",
            .subresource = {}};
  }
  apiserver::LocalTestClient api;
};

bool is_a_quarter(Duration wait) {
  return wait >= std::chrono::seconds(10) && wait <= std::chrono::milliseconds(10400);
}

}  // namespace node_lease_test

using node_lease_test::Bench;
using node_lease_test::is_a_quarter;
using node_lease_test::kUid;

TEST(NodeLease, IsMadeThenRenewed) {
  Bench bench;
  NodeLease lease = bench.lease();
  EXPECT_TRUE(is_a_quarter(lease.renew(kUid)));
  const api::ObjectPtr first = bench.api.client().get(bench.place(), {}).value();
  bench.api.clock().advance(std::chrono::seconds(10));
  EXPECT_TRUE(is_a_quarter(lease.renew(kUid)));
  const api::ObjectPtr second = bench.api.client().get(bench.place(), {}).value();
  EXPECT_NE(first->metadata().resource_version, second->metadata().resource_version);
  EXPECT_EQ(second->metadata().owners.front().uid, "uid-1");
}

TEST(NodeLease, IsRenewedAfterSomebodyElseWroteOrRemovedIt) {
  Bench bench;
  NodeLease lease = bench.lease();
  lease.renew(kUid);
  ASSERT_TRUE(bench.api.client()
                  .patch(bench.place(), api::PatchType::kMerge,
                         json::parse_literal(R"({"metadata":{"labels":{"a":"b"}}})"), {}, {})
                  .ok());
  EXPECT_TRUE(is_a_quarter(lease.renew(kUid)));
  EXPECT_NE(bench.api.client().get(bench.place(), {}).value()->metadata().label("a"), nullptr);
  ASSERT_TRUE(bench.api.client().remove(bench.place(), {}, {}).ok());
  EXPECT_TRUE(is_a_quarter(lease.renew(kUid)));
  EXPECT_TRUE(bench.api.client().get(bench.place(), {}).ok());
}

TEST(NodeLease, IsTriedAgainSoonAfterAFailure) {
  Bench bench;
  NodeLease lease = bench.lease();
  const Duration first = lease.renew(api::UidView());  // no owner without a uid
  EXPECT_EQ(first, std::chrono::milliseconds(200));
  EXPECT_EQ(lease.renew(api::UidView()), std::chrono::milliseconds(400));
  EXPECT_TRUE(is_a_quarter(lease.renew(kUid)));
}

}  // namespace proa::kubelet
