#include "apiserver/front/http/in_flight.h"

#include <gtest/gtest.h>

#include <vector>

#include "api/schema/builtin.h"

namespace proa::apiserver {
namespace in_flight_test {

using Kind = InFlight::Kind;

TEST(InFlight, LimitsEachKindByItself) {
  const auto in_flight =
      std::make_shared<InFlight>(InFlightLimits{.read_only = 2, .mutating = 1, .deciding = 1});
  InFlight::Place first = in_flight->take(Kind::kReadOnly, false);
  InFlight::Place second = in_flight->take(Kind::kReadOnly, false);
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(in_flight->has_place(Kind::kReadOnly));
  EXPECT_FALSE(in_flight->take(Kind::kReadOnly, false));
  EXPECT_TRUE(in_flight->take(Kind::kMutating, false));
  first = InFlight::Place();
  EXPECT_TRUE(in_flight->has_place(Kind::kReadOnly));
  second = in_flight->take(Kind::kReadOnly, false);
  EXPECT_TRUE(second);
  EXPECT_TRUE(in_flight->has_place(Kind::kReadOnly));
}

TEST(InFlight, CountsExemptRequestsButDoesNotRefuseThem) {
  const auto in_flight = std::make_shared<InFlight>(InFlightLimits{.mutating = 1});
  std::vector<InFlight::Place> places;
  for (int i = 0; i < 5; ++i) {
    places.push_back(in_flight->take(Kind::kMutating, true));
    EXPECT_TRUE(places.back());
  }
  EXPECT_FALSE(in_flight->take(Kind::kMutating, false));
  places.clear();
  EXPECT_TRUE(in_flight->take(Kind::kMutating, false));
}

TEST(InFlight, ZeroIsUnlimited) {
  const auto in_flight = std::make_shared<InFlight>(InFlightLimits{.read_only = 0});
  std::vector<InFlight::Place> places;
  for (int i = 0; i < 1000; ++i) places.push_back(in_flight->take(Kind::kReadOnly, false));
  EXPECT_TRUE(places.back());
}

TEST(IsExempt, LetsMastersLeadersAndNodesPass) {
  struct Case {
    const char* user;
    const char* group;
    const char* api_group;
    const char* resource;
    const char* name_space;
    bool expected;
  };
  constexpr const char* kLeases = "coordination.k8s.io";
  constexpr const char* kSystemAccounts = "system:serviceaccounts:kube-system";
  const std::vector<Case> cases = {
      {"admin", "system:masters", "", "pods", "default", true},
      {"jane", "developers", "", "pods", "default", false},
      {"system:kube-scheduler", "", kLeases, "leases", "kube-system", true},
      {"system:kube-controller-manager", "", kLeases, "leases", "kube-system", true},
      {"system:serviceaccount:kube-system:a", kSystemAccounts, kLeases, "leases", "kube-system",
       true},
      {"system:serviceaccount:kube-system:a", kSystemAccounts, "", "pods", "kube-system", false},
      {"system:serviceaccount:x:a", "system:serviceaccounts:x", kLeases, "leases", "kube-system",
       false},
      {"jane", "developers", kLeases, "leases", "kube-system", false},
      {"system:node:n1", "system:nodes", kLeases, "leases", "kube-node-lease", true},
      {"system:node:n1", "system:nodes", "", "nodes", "", true},
      {"system:node:n1", "system:nodes", "", "pods", "default", false},
      {"jane", "developers", "", "nodes", "", false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.user) + " " + c.resource);
    Request request;
    request.user = std::make_shared<const User>(
        User{.name = c.user, .uid = {}, .groups = {c.group}, .extra = {}});
    request.resource = api::builtin_schema().find_resource(c.api_group, "v1", c.resource);
    request.name_space = c.name_space;
    EXPECT_EQ(is_exempt(request), c.expected);
  }
}

}  // namespace in_flight_test
}  // namespace proa::apiserver
