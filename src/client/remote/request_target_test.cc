#include "client/remote/request_target.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"

namespace proa::client {
namespace {

const api::Resource* find(std::string_view group, std::string_view name) {
  return api::builtin_schema().find_resource(group, "v1", name);
}

TEST(RequestTarget, LeadsToObjectsAndCollections) {
  const api::Resource* pods = find("", "pods");
  const api::Resource* deployments = find("apps", "deployments");
  const api::Resource* nodes = find("", "nodes");
  EXPECT_EQ(collection_path({.resource = pods}), "/api/v1/pods");
  EXPECT_EQ(collection_path({.resource = pods, .name_space = "a", .name = "x"}),
            "/api/v1/namespaces/a/pods");
  EXPECT_EQ(
      object_path({.resource = pods, .name_space = "a", .name = "x", .subresource = "status"}),
      "/api/v1/namespaces/a/pods/x/status");
  EXPECT_EQ(object_path({.resource = deployments, .name_space = "a", .name = "x"}),
            "/apis/apps/v1/namespaces/a/deployments/x");
  EXPECT_EQ(object_path({.resource = nodes, .name_space = "ignored", .name = "n"}),
            "/api/v1/nodes/n");
  EXPECT_EQ(object_path({.resource = nodes, .name = "../secrets"}), "/api/v1/nodes/..%2Fsecrets");
}

TEST(RequestTarget, SaysWhatIsSelected) {
  RequestTarget list("/x");
  add_list_query(list, {.label_selector = "a=b,c!=d",
                        .field_selector = "",
                        .resource_version = "0",
                        .limit = 5,
                        .continue_token = "t+"});
  EXPECT_EQ(list.take(),
            "/x?labelSelector=a%3Db%2Cc%21%3Dd&resourceVersion=0&limit=5&continue=t%2B");
  RequestTarget watch("/x");
  add_watch_query(watch, {.resource = nullptr, .name_space = "", .name = "n"},
                  {.label_selector = "",
                   .field_selector = "a=b",
                   .resource_version = "7",
                   .send_initial_events = true});
  EXPECT_EQ(watch.take(),
            "/x?watch=true&allowWatchBookmarks=true&fieldSelector=a%3Db%2Cmetadata.name%3Dn"
            "&resourceVersion=7&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
}

}  // namespace
}  // namespace proa::client
