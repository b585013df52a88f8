#include "store/etcd/upkeep/stored_values.h"

#include <algorithm>

#include "store/etcd/client/pages.h"
#include "store/etcd/wire/messages.h"

namespace proa::store::etcd {
namespace stored_values {

constexpr Duration kTimeout = std::chrono::seconds(10);

Result<std::string> read_value(const ValueTransformer& reader, const std::string& key,
                               std::string_view stored) {
  auto plain = reader.from_disk(key, disk_value(stored));
  if (!plain.ok()) {
    return Status(plain.status().reason(),
                  "unable to transform key \"" + key + "\": " + plain.status().message());
  }
  return *plain ? **std::move(plain) : std::string(stored);
}

// Nothing happens if it was written meanwhile: with the new form.
Result<void> rewrite(EtcdClient& client, const ValueTransformer& form, const std::string& key,
                     const KeyValue& kv) {
  const std::string plain = TRY(read_value(form, key, kv.value));
  std::string transformed;
  const bool changed = TRY(form.to_disk(key, plain, transformed));
  const TxnRequest request{
      .conditions = {{.key = kv.key, .number = kv.mod_revision}},
      .success = {PutRequest{
          .key = kv.key, .value = changed ? transformed : plain, .lease = kv.lease}},
      .failure = {}};
  const auto answer = client.ask("KV/Txn", write(request), kTimeout);
  if (!answer.ok()) return store_failure(answer.status());
  return {};
}

}  // namespace stored_values

Result<void> verify_values(EtcdClient& client, const StoredForm& form,
                           const ValueTransformer& reader) {
  const auto read =
      read_pages(client, form.prefix() + "/", {}, [&](const RangeResponse& page) -> Result<void> {
        for (const KeyValue& kv : page.kvs) {
          const auto key = form.key_of(kv.key);
          if (key) TRY(stored_values::read_value(reader, *key, kv.value));
        }
        return {};
      });
  if (!read.ok()) return store_failure(read.status());
  return {};
}

Result<void> rewrite_values(EtcdClient& client, const StoredForm& form,
                            const ReencodeObserver& observe, const std::stop_token& stop) {
  const auto transformer = form.transformer();
  if (transformer == nullptr)
    return Status(Reason::kMethodNotAllowed, "this store has no form of values to change to");
  ReencodeProgress progress;
  const auto take = [&](const RangeResponse& page) -> Result<void> {
    progress.total = std::max(progress.total, progress.examined + static_cast<size_t>(page.count));
    for (const KeyValue& kv : page.kvs) {
      if (stop.stop_requested()) return Status(Reason::kTimeout, "stopped");
      ++progress.examined;
      const auto key = form.key_of(kv.key);
      if (!key || !transformer->is_stale(*key, disk_value(kv.value))) continue;
      TRY(stored_values::rewrite(client, *transformer, *key, kv));
      ++progress.rewritten;
    }
    if (observe) observe(progress);
    return {};
  };
  const auto read = read_pages(client, form.prefix() + "/", {}, take);
  if (!read.ok()) return store_failure(read.status());
  return {};
}

}  // namespace proa::store::etcd
