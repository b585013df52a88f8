#include "store/etcd/wire/messages.h"

#include <gtest/gtest.h>

#include "api/codec/protobuf/from_protobuf.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/schema/builtin.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::store::etcd {
namespace messages_test {

const api::Type& type(const std::string& name) {
  const api::Type* found = api::etcd_schema().find_openapi("etcdserverpb." + name);
  CHECK(found != nullptr);
  return *found;
}

// What schema/ says that a message means.
std::string meaning(std::string_view message, const std::string& name) {
  const auto document = api::from_protobuf(message, type(name), api::etcd_schema());
  if (!document.ok()) return document.status().message();
  return json::print(document->root());
}

// A message that the schema's coder makes.
std::string message(std::string_view text, const std::string& name) {
  const auto document = json::parse(text);
  CHECK(document.ok());
  auto bytes = api::to_protobuf(document->root(), type(name));
  CHECK(bytes.ok());
  return *std::move(bytes);
}

TEST(WrittenMessages, MeanWhatTheSchemaSays) {
  EXPECT_EQ(meaning(write(RangeRequest{.key = "a", .range_end = "b", .limit = 5, .revision = 7}),
                    "RangeRequest"),
            R"({"key":"YQ==","range_end":"Yg==","limit":5,"revision":7})");
  const TxnRequest txn{
      .conditions = {{.key = "a", .number = 0},
                     {.of = Condition::Of::kCreation, .key = "b", .number = 3}},
      .success = {PutRequest{.key = "a", .value = "v", .lease = 9}, DeleteRequest{.key = "b"}},
      .failure = {RangeRequest{.key = "b"}}};
  EXPECT_EQ(
      meaning(write(txn), "TxnRequest"),
      R"({"compare":[{"target":2,"key":"YQ==","mod_revision":0},)"
      R"({"target":1,"key":"Yg==","create_revision":3}],)"
      R"("success":[{"request_put":{"key":"YQ==","value":"dg==","lease":9}},)"
      R"({"request_delete_range":{"key":"Yg=="}}],"failure":[{"request_range":{"key":"Yg=="}}]})");
  EXPECT_EQ(meaning(write(WatchRequest{.key = "a", .range_end = "b", .start_revision = 3}),
                    "WatchRequest"),
            R"({"create_request":{"key":"YQ==","range_end":"Yg==","start_revision":3,)"
            R"("progress_notify":true,"fragment":true}})");
  EXPECT_EQ(meaning(write_progress_request(), "WatchRequest"), R"({"progress_request":{}})");
  EXPECT_EQ(meaning(write_compaction(5), "CompactionRequest"), R"({"revision":5})");
  EXPECT_EQ(meaning(write_lease_grant(60), "LeaseGrantRequest"), R"({"TTL":60})");
  EXPECT_EQ(meaning(write_lease_revoke(7), "LeaseRevokeRequest"), R"({"ID":7})");
}

TEST(ReadMessages, HaveWhatTheSchemaSays) {
  const std::string watch =
      message(R"({"header":{"cluster_id":9,"revision":12},"watch_id":1,"fragment":true,)"
              R"("events":[{"kv":{"key":"YQ==","create_revision":2,"mod_revision":11,"version":3,)"
              R"("value":"dg==","lease":4}},{"type":1,"kv":{"key":"Yg==","mod_revision":12}}]})",
              "WatchResponse");
  const auto read = read_watch(watch);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->header.cluster_id, 9u);
  EXPECT_EQ(read->header.revision, 12);
  EXPECT_EQ(read->watch_id, 1);
  EXPECT_TRUE(read->fragment);
  ASSERT_EQ(read->events.size(), 2u);
  EXPECT_EQ(read->events[0].kv.key, "a");
  EXPECT_EQ(read->events[0].kv.value, "v");
  EXPECT_EQ(read->events[0].kv.version, 3);
  EXPECT_TRUE(read->events[1].deleted);

  const std::string txn = message(
      R"({"header":{"revision":5},"succeeded":true,"responses":[{},)"
      R"({"response_delete_range":{"deleted":1}},{"response_range":{"kvs":[{"key":"YQ=="}]}}]})",
      "TxnResponse");
  const auto response = read_txn(txn);
  ASSERT_TRUE(response.ok());
  EXPECT_TRUE(response->succeeded);
  ASSERT_EQ(response->responses.size(), 3u);
  EXPECT_EQ(response->responses[1].deleted, 1);
  EXPECT_EQ(response->responses[2].kvs.at(0).key, "a");

  EXPECT_EQ(read_status(message(R"({"version":"3.5.9","dbSize":77,"leader":1})", "StatusResponse"))
                ->database_bytes,
            77);
  EXPECT_EQ(read_lease(message(R"({"ID":8,"TTL":60})", "LeaseGrantResponse"))->id, 8);
  EXPECT_TRUE(
      read_lease(message(R"({"error":"no"})", "LeaseGrantResponse")).is(Reason::kInternalError));
  EXPECT_TRUE(*read_no_space(message(R"({"alarms":[{"memberID":1,"alarm":1}]})", "AlarmResponse")));
  EXPECT_FALSE(*read_no_space(message(R"({"alarms":[{"alarm":2}]})", "AlarmResponse")));
}

TEST(ReadMessages, RefuseWhatIsMalformed) {
  const std::string whole =
      message(R"({"header":{"revision":5},"kvs":[{"key":"YQ==","value":"dg=="}],"count":1})",
              "RangeResponse");
  ASSERT_TRUE(read_range(whole).ok());
  EXPECT_TRUE(read_range(whole + "\x0a\xff\xff").is(Reason::kInternalError));
  EXPECT_TRUE(read_range(whole.substr(0, whole.size() - 3)).ok() ||
              read_range(whole.substr(0, whole.size() - 3)).is(Reason::kInternalError));
  EXPECT_TRUE(read_txn("\xff").is(Reason::kInternalError));
  EXPECT_TRUE(read_watch("\x0a\x05").is(Reason::kInternalError));
}

}  // namespace messages_test
}  // namespace proa::store::etcd
