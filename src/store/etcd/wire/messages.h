#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

// The messages of etcd's API that the store uses; schema/etcd_v3.schema states them all. They are
// written and read here without documents in between: values make up most of their bytes.
namespace proa::store::etcd {

struct Header {
  uint64_t cluster_id = 0;
  int64_t revision = 0;
};

// Views into the message that it was read from.
struct KeyValue {
  std::string_view key;
  int64_t create_revision = 0;
  int64_t mod_revision = 0;
  int64_t version = 0;
  std::string_view value;
  int64_t lease = 0;
};

struct RangeRequest {
  std::string_view key;
  std::string_view range_end;  // empty: that key alone
  int64_t limit = 0;
  int64_t revision = 0;  // zero: the current one
  bool keys_only = false;
  bool count_only = false;
};
struct RangeResponse {
  Header header;
  std::vector<KeyValue> kvs;
  bool more = false;
  int64_t count = 0;
};

// Holds if the key's revision is this; zero: it does not exist.
struct Condition {
  enum class Of : uint8_t { kCreation = 1, kLastChange = 2, kVersion = 0 };
  Of of = Of::kLastChange;
  std::string_view key;
  int64_t number = 0;
};
struct PutRequest {
  std::string_view key;
  std::string_view value;
  int64_t lease = 0;
};
struct DeleteRequest {
  std::string_view key;
};
using RequestOp = std::variant<RangeRequest, PutRequest, DeleteRequest>;
struct TxnRequest {
  std::vector<Condition> conditions;
  std::vector<RequestOp> success;
  std::vector<RequestOp> failure;
};
// What an operation did: a range's keys, or the number of deleted ones.
struct ResponseOp {
  std::vector<KeyValue> kvs;
  int64_t deleted = 0;
};
struct TxnResponse {
  Header header;
  bool succeeded = false;
  std::vector<ResponseOp> responses;
};

struct WatchRequest {
  std::string_view key;
  std::string_view range_end;
  int64_t start_revision = 0;
};
struct WatchEvent {
  bool deleted = false;
  KeyValue kv;
};
struct WatchResponse {
  Header header;
  int64_t watch_id = 0;  // negative: about all of the stream
  bool created = false;
  bool canceled = false;
  int64_t compact_revision = 0;
  std::string_view cancel_reason;
  bool fragment = false;  // more of the same revisions follows
  std::vector<WatchEvent> events;
};

struct LeaseGranted {
  int64_t id = 0;
  int64_t seconds = 0;
};

struct MemberStatus {
  Header header;
  std::string_view version;
  int64_t database_bytes = 0;
  uint64_t leader = 0;  // zero: none
};

std::string write(const RangeRequest& request);
std::string write(const PutRequest& request);
std::string write(const TxnRequest& request);
std::string write(const WatchRequest& request);
std::string write_progress_request();
std::string write_compaction(int64_t revision);
std::string write_lease_grant(int64_t seconds);
std::string write_lease_revoke(int64_t id);

// Input is not trusted: what is malformed is a Status.
Result<RangeResponse> read_range(std::string_view message);
Result<TxnResponse> read_txn(std::string_view message);
Result<WatchResponse> read_watch(std::string_view message);
Result<LeaseGranted> read_lease(std::string_view message);
Result<MemberStatus> read_status(std::string_view message);
// Whether any member has run out of space.
Result<bool> read_no_space(std::string_view message);

}  // namespace proa::store::etcd
