#include "api/codec/protobuf/wire.h"
#include "store/etcd/wire/messages.h"

namespace proa::store::etcd {
namespace write_messages {

using api::ReverseWriter;

// Zeros are left out, as protobuf's third version does.
void number(ReverseWriter& to, uint32_t field, int64_t value) {
  if (value != 0) to.varint_field(field, static_cast<uint64_t>(value));
}

void text(ReverseWriter& to, uint32_t field, std::string_view value) {
  if (!value.empty()) to.bytes_field(field, value);
}

// Fields are written last to first.
void append(ReverseWriter& to, const RangeRequest& request) {
  number(to, 9, request.count_only ? 1 : 0);
  number(to, 8, request.keys_only ? 1 : 0);
  number(to, 4, request.revision);
  number(to, 3, request.limit);
  text(to, 2, request.range_end);
  text(to, 1, request.key);
}

void append(ReverseWriter& to, const PutRequest& request) {
  number(to, 3, request.lease);
  text(to, 2, request.value);
  text(to, 1, request.key);
}

void append(ReverseWriter& to, const DeleteRequest& request) { text(to, 1, request.key); }

void append(ReverseWriter& to, const Condition& condition) {
  constexpr uint32_t kFirstOfUnion = 4;
  const auto of = static_cast<uint32_t>(condition.of);
  // A member of a union is written also when it is zero.
  to.varint_field(kFirstOfUnion + of, static_cast<uint64_t>(condition.number));
  text(to, 3, condition.key);
  number(to, 2, of);
}

// The alternatives have the numbers of their union, from one on.
void append(ReverseWriter& to, const RequestOp& operation) {
  const size_t mark = to.size();
  std::visit([&](const auto& request) { append(to, request); }, operation);
  to.end_message(static_cast<uint32_t>(operation.index()) + 1, mark);
}

template <typename T>
void list(ReverseWriter& to, uint32_t field, const std::vector<T>& items) {
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    const size_t mark = to.size();
    append(to, *item);
    to.end_message(field, mark);
  }
}

std::string one_number(int64_t value) {
  ReverseWriter to;
  number(to, 1, value);
  return to.take();
}

}  // namespace write_messages

std::string write(const RangeRequest& request) {
  api::ReverseWriter to;
  write_messages::append(to, request);
  return to.take();
}

std::string write(const PutRequest& request) {
  api::ReverseWriter to;
  write_messages::append(to, request);
  return to.take();
}

std::string write(const TxnRequest& request) {
  api::ReverseWriter to;
  write_messages::list(to, 3, request.failure);
  write_messages::list(to, 2, request.success);
  write_messages::list(to, 1, request.conditions);
  return to.take();
}

std::string write(const WatchRequest& request) {
  api::ReverseWriter to;
  write_messages::number(to, 8, 1);  // long answers may come in fragments
  write_messages::number(to, 4, 1);  // progress is reported
  write_messages::number(to, 3, request.start_revision);
  write_messages::text(to, 2, request.range_end);
  write_messages::text(to, 1, request.key);
  to.end_message(1, 0);
  return to.take();
}

std::string write_progress_request() {
  api::ReverseWriter to;
  to.end_message(3, 0);
  return to.take();
}

std::string write_compaction(int64_t revision) { return write_messages::one_number(revision); }

std::string write_lease_grant(int64_t seconds) { return write_messages::one_number(seconds); }

std::string write_lease_revoke(int64_t id) { return write_messages::one_number(id); }

}  // namespace proa::store::etcd
