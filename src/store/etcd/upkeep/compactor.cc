#include "store/etcd/upkeep/compactor.h"

#include "base/log.h"
#include "store/etcd/wire/messages.h"

namespace proa::store::etcd {
namespace compactor {

const Log kLog{"store"};

constexpr Duration kTimeout = std::chrono::seconds(10);
// Upstream's name: the same for all prefixes, since a compaction is of all of etcd.
constexpr std::string_view kKey = "compact_rev_key";

}  // namespace compactor

void Compactor::start() {
  if (interval_ > Duration::zero()) wait();
}

void Compactor::wait() {
  client_.after(interval_, [this] { take_turn(); });
}

void Compactor::take_turn() {
  const std::string revision = std::to_string(revision_);
  const TxnRequest request{
      .conditions = {{.of = Condition::Of::kVersion, .key = compactor::kKey, .number = version_}},
      .success = {PutRequest{.key = compactor::kKey, .value = revision}},
      .failure = {RangeRequest{.key = compactor::kKey}}};
  client_.start("KV/Txn", write(request), compactor::kTimeout, [this](const Result<Bytes>& answer) {
    answered(answer);
    wait();
  });
}

void Compactor::answered(const Result<Bytes>& answer) {
  const Result<TxnResponse> response =
      answer.ok() ? read_txn(answer->view()) : Result<TxnResponse>(answer.status());
  if (!response.ok()) {
    compactor::kLog.warn("compacting etcd failed", {{"error", response.status()}});
    return;
  }
  const int64_t before = std::exchange(revision_, response->header.revision);
  if (response->succeeded) {
    ++version_;
    if (before > 0) compact(before);
    return;
  }
  // Another server was first.
  const auto& responses = response->responses;
  const bool known = !responses.empty() && !responses[0].kvs.empty();
  version_ = known ? responses[0].kvs[0].version : 0;
}

void Compactor::compact(int64_t revision) {
  client_.start("KV/Compact", write_compaction(revision), compactor::kTimeout,
                [this, revision](const Result<Bytes>& answer) {
                  // Somebody else did, by hand for example.
                  const bool done = answer.ok() ||
                                    http::grpc_code(answer.status()) == http::GrpcCode::kOutOfRange;
                  if (!done) {
                    compactor::kLog.warn("compacting etcd failed",
                                         {{"revision", revision}, {"error", answer.status()}});
                    return;
                  }
                  compactor::kLog.debug("etcd compacted", {{"revision", revision}});
                  if (compacted_) compacted_();
                });
}

}  // namespace proa::store::etcd
