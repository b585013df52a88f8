#include "api/codec/protobuf/wire.h"
#include "store/etcd/wire/messages.h"

namespace proa::store::etcd {
namespace read_messages {

using api::WireField;
using api::WireReader;

int64_t number(const WireField& field) { return static_cast<int64_t>(field.value); }

// Calls `take` with each field; false from it: the field does not fit.
template <typename Take>
Result<void> read(std::string_view message, Take&& take) {
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) TRY(take(field));
  if (reader.done()) return {};
  return Status(Reason::kInternalError,
                "etcd sent a malformed message: " + std::string(reader.error()));
}

Result<void> into(Header& header, std::string_view message) {
  return read(message, [&](const WireField& field) -> Result<void> {
    if (field.number == 1) header.cluster_id = field.value;
    if (field.number == 3) header.revision = number(field);
    return {};
  });
}

Result<void> into(KeyValue& kv, std::string_view message) {
  return read(message, [&](const WireField& field) -> Result<void> {
    switch (field.number) {
      case 1:
        kv.key = field.bytes;
        break;
      case 2:
        kv.create_revision = number(field);
        break;
      case 3:
        kv.mod_revision = number(field);
        break;
      case 4:
        kv.version = number(field);
        break;
      case 5:
        kv.value = field.bytes;
        break;
      case 6:
        kv.lease = number(field);
        break;
      default:
        break;
    }
    return {};
  });
}

Result<void> into(ResponseOp& response, std::string_view message) {
  return read(message, [&](const WireField& field) -> Result<void> {
    if (field.number == 1) {
      RangeResponse range = TRY(read_range(field.bytes));
      response.kvs = std::move(range.kvs);
      return {};
    }
    if (field.number != 3) return {};
    return read(field.bytes, [&](const WireField& inner) -> Result<void> {
      if (inner.number == 2) response.deleted = number(inner);
      return {};
    });
  });
}

Result<void> into(WatchEvent& event, std::string_view message) {
  return read(message, [&](const WireField& field) -> Result<void> {
    if (field.number == 1) event.deleted = field.value == 1;
    if (field.number == 2) return into(event.kv, field.bytes);
    return {};
  });
}

}  // namespace read_messages

Result<RangeResponse> read_range(std::string_view message) {
  using namespace read_messages;
  RangeResponse response;
  TRY(read(message, [&](const WireField& field) -> Result<void> {
    if (field.number == 1) return into(response.header, field.bytes);
    if (field.number == 2) return into(response.kvs.emplace_back(), field.bytes);
    if (field.number == 3) response.more = field.value != 0;
    if (field.number == 4) response.count = number(field);
    return {};
  }));
  return response;
}

Result<TxnResponse> read_txn(std::string_view message) {
  using namespace read_messages;
  TxnResponse response;
  TRY(read(message, [&](const WireField& field) -> Result<void> {
    if (field.number == 1) return into(response.header, field.bytes);
    if (field.number == 2) response.succeeded = field.value != 0;
    if (field.number == 3) return into(response.responses.emplace_back(), field.bytes);
    return {};
  }));
  return response;
}

Result<WatchResponse> read_watch(std::string_view message) {
  using namespace read_messages;
  WatchResponse response;
  TRY(read(message, [&](const WireField& field) -> Result<void> {
    switch (field.number) {
      case 1:
        return into(response.header, field.bytes);
      case 2:
        response.watch_id = number(field);
        break;
      case 3:
        response.created = field.value != 0;
        break;
      case 4:
        response.canceled = field.value != 0;
        break;
      case 5:
        response.compact_revision = number(field);
        break;
      case 6:
        response.cancel_reason = field.bytes;
        break;
      case 7:
        response.fragment = field.value != 0;
        break;
      case 11:
        return into(response.events.emplace_back(), field.bytes);
      default:
        break;
    }
    return {};
  }));
  return response;
}

Result<LeaseGranted> read_lease(std::string_view message) {
  using namespace read_messages;
  LeaseGranted lease;
  std::string error;
  TRY(read(message, [&](const WireField& field) -> Result<void> {
    if (field.number == 2) lease.id = number(field);
    if (field.number == 3) lease.seconds = number(field);
    if (field.number == 4) error = field.bytes;
    return {};
  }));
  if (!error.empty()) return Status(Reason::kInternalError, "etcd granted no lease: " + error);
  return lease;
}

Result<MemberStatus> read_status(std::string_view message) {
  using namespace read_messages;
  MemberStatus status;
  TRY(read(message, [&](const WireField& field) -> Result<void> {
    if (field.number == 1) return into(status.header, field.bytes);
    if (field.number == 2) status.version = field.bytes;
    if (field.number == 3) status.database_bytes = number(field);
    if (field.number == 4) status.leader = field.value;
    return {};
  }));
  return status;
}

Result<bool> read_no_space(std::string_view message) {
  using namespace read_messages;
  constexpr uint64_t kNoSpace = 1;
  bool found = false;
  TRY(read(message, [&](const WireField& field) -> Result<void> {
    if (field.number != 2) return {};
    return read(field.bytes, [&](const WireField& inner) -> Result<void> {
      if (inner.number == 2 && inner.value == kNoSpace) found = true;
      return {};
    });
  }));
  return found;
}

}  // namespace proa::store::etcd
