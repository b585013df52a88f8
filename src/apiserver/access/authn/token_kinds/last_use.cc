#include "apiserver/access/authn/token_kinds/last_use.h"

#include <array>

#include "api/object/edit.h"
#include "apiserver/objects/encode_changed.h"
#include "base/log.h"

namespace proa::apiserver {
namespace last_use {

const Log kLog{"apiserver"};
constexpr std::string_view kLastUsed = "kubernetes.io/legacy-token-last-used";
constexpr std::array<std::string_view, 1> kChanged = {"metadata"};

std::string date_of(Time time) { return format_time(time).substr(0, 10); }

// Tomorrow counts, since the clocks of servers differ.
bool is_noted(const api::Object& secret, Time now) {
  const std::string_view* noted = secret.metadata().label(kLastUsed);
  return noted != nullptr &&
         (*noted == date_of(now) || *noted == date_of(now + std::chrono::hours(24)));
}

Result<store::Txn> noting(const store::EntryPtr& entry, const api::Type& type, Time now) {
  json::Document document = TRY(object_of(entry)->document());
  api::Edit(document).object("metadata").object("labels").set(kLastUsed, date_of(now));
  StoredText text = TRY(encode_changed(document, type, kChanged));
  store::Txn txn;
  txn.compares.push_back({std::string(entry->key()), entry->mod_revision()});
  txn.operations.push_back(store::Put{.key = std::string(entry->key()),
                                      .value = Bytes(std::move(text.json)),
                                      .stamp_at = text.stamp_at});
  return txn;
}

void report(const Status& why, std::string_view key) {
  kLog.warn("noting the last use of a service account token failed",
            {{"secret", key}, {"error", why}});
}

}  // namespace last_use

void note_last_use(store::Store& store, const api::Type& type, const store::EntryPtr& entry,
                   Time now) {
  if (last_use::is_noted(*object_of(entry), now)) return;
  Result<store::Txn> txn = last_use::noting(entry, type, now);
  if (!txn) return last_use::report(txn.status(), entry->key());
  // A conflict is no failure: somebody changed the Secret, and the next use notes the date.
  store.commit(std::move(*txn), store::Durability::kLazy,
               [entry](const Result<store::Committed>& committed) {
                 if (!committed) last_use::report(committed.status(), entry->key());
               });
}

}  // namespace proa::apiserver
