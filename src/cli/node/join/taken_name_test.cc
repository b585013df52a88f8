#include "cli/node/join/taken_name.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/parse.h"
#include "testkit/apiserver/test_clients.h"

namespace proa::cli {
namespace {

// A cluster with the Node n1 of machine "id-1", "uuid-1".
class TakenNameTest : public testing::Test {
 protected:
  void put(const std::string& ready) {
    const client::BoundedClient client(api_.client(), api_.clock());
    client::Place place{.resource = api::builtin_schema().find_resource("", "v1", "nodes"),
                        .name_space = {},
                        .name = {},
                        .subresource = {}};
    const auto made =
        client.create(place, json::parse_literal(R"({"metadata":{"name":"n1"}})"), {});
    ASSERT_TRUE(made.ok()) << made.status().message();
    place.name = "n1";
    place.subresource = "status";
    const auto written = client.patch(
        place, api::PatchType::kMerge,
        json::parse_literal(
            R"({"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.5"}],)"
            R"("conditions":[{"type":"Ready","status":")" +
            ready + R"("}],"nodeInfo":{"machineID":"id-1","systemUUID":"uuid-1","bootID":"b",)" +
            R"("kernelVersion":"k","osImage":"o","containerRuntimeVersion":"c",)" +
            R"("kubeletVersion":"v","kubeProxyVersion":"","operatingSystem":"linux",)" +
            R"("architecture":"amd64"}}})"),
        {});
    ASSERT_TRUE(written.ok()) << written.status().message();
  }
  Result<void> join(const std::string& machine_id, const std::string& system_uuid) {
    return refuse_taken_name({api_.client(), api_.clock()}, api::NodeName("n1"),
                             {.machine_id = machine_id, .system_uuid = system_uuid});
  }

  apiserver::LocalTestClient api_;
};

TEST_F(TakenNameTest, ANewNameIsFree) { EXPECT_TRUE(join("id-2", "uuid-2").ok()); }

TEST_F(TakenNameTest, ALivingMachineKeepsItsName) {
  put("True");
  for (const auto& [id, uuid] :
       {std::pair("id-2", "uuid-2"), {"id-1", "uuid-2"}, {"id-2", "uuid-1"}, {"", "uuid-2"}}) {
    SCOPED_TRACE(std::string(id) + " " + uuid);
    EXPECT_TRUE(join(id, uuid).is(Reason::kConflict));
  }
  EXPECT_EQ(join("id-2", "uuid-2").status().message(),
            "another machine, 10.0.0.5, is node n1 of this cluster; choose another name with "
            "--node-name. If this machine is to replace it: run `proa node leave` there, or stop "
            "it and run on the server: kubectl delete node n1");
}

TEST_F(TakenNameTest, OneThatIsNotReadyIsAliveToo) {
  put("False");
  EXPECT_TRUE(join("id-2", "uuid-2").is(Reason::kConflict));
}

TEST_F(TakenNameTest, TheSameMachineMayJoinAgain) {
  put("True");
  EXPECT_TRUE(join("id-1", "uuid-1").ok());
  EXPECT_TRUE(join("id-1", "UUID-1").ok());
  EXPECT_TRUE(join("id-1", "").ok());
  EXPECT_TRUE(join("", "").ok()) << "what is not known does not differ";
}

TEST_F(TakenNameTest, AMachineThatIsGoneMayBeReplaced) {
  put("Unknown");
  EXPECT_TRUE(join("id-2", "uuid-2").ok());
}

}  // namespace
}  // namespace proa::cli
