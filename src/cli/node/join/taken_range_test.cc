#include "cli/node/join/taken_range.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/parse.h"
#include "testkit/apiserver/test_clients.h"

namespace proa::cli {
namespace {

// A cluster in which n1 has 10.1.0.0/24.
class TakenRangeTest : public testing::Test {
 protected:
  TakenRangeTest() {
    const client::BoundedClient admin(api_.client(), api_.clock());
    EXPECT_TRUE(admin
                    .create(nodes(),
                            json::parse_literal(R"({"metadata":{"name":"n1"},"spec":{"podCIDR":)"
                                                R"("10.1.0.0/24","podCIDRs":["10.1.0.0/24"]}})"),
                            {})
                    .ok());
  }
  static client::Place nodes(const std::string& name = "") {
    return {.resource = api::builtin_schema().find_resource("", "v1", "nodes"),
            .name_space = {},
            .name = name,
            .subresource = {}};
  }
  Result<void> join(const std::string& name, std::vector<std::string> ranges) {
    const auto client =
        api_.client_as({"system:node:" + name, "", {"system:nodes", "system:authenticated"}, {}});
    kubelet::KubeletOptions options;
    options.node_name = api::NodeName(name);
    options.pod_cidrs = std::move(ranges);
    return refuse_taken_range({*client, api_.clock()}, options);
  }

  apiserver::LocalTestClient api_;
};

TEST_F(TakenRangeTest, TheServersRefusalIsShown) {
  const Result<void> joined = join("n2", {"10.1.0.0/25"});
  ASSERT_FALSE(joined.ok());
  EXPECT_NE(joined.status().message().find("overlaps that of node \"n1\""), std::string::npos)
      << joined.status().message();
  EXPECT_NE(joined.status().message().find("choose another --pod-cidr"), std::string::npos);
}

TEST_F(TakenRangeTest, AFreeOneMayBeHadAndNothingIsWritten) {
  const Result<void> joined = join("n2", {"10.2.0.0/24"});
  EXPECT_TRUE(joined.ok()) << joined.status().message();
  const client::BoundedClient admin(api_.client(), api_.clock());
  EXPECT_TRUE(admin.get(nodes("n2")).is(Reason::kNotFound));
}

TEST_F(TakenRangeTest, ANodeThatExistsKeepsItsOwn) {
  EXPECT_TRUE(join("n1", {"10.1.0.0/24"}).ok());
  EXPECT_TRUE(join("n1", {"10.9.0.0/24"}).ok()) << "what it has counts";
  EXPECT_TRUE(join("n2", {}).ok());
}

}  // namespace
}  // namespace proa::cli
