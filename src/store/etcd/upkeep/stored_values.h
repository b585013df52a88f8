#pragma once

#include <stop_token>

#include "store/etcd/cache/stored_form.h"
#include "store/etcd/client/etcd_client.h"
#include "store/store.h"

namespace proa::store::etcd {

// Whether this transformer reads all values that are there.
Result<void> verify_values(EtcdClient& client, const StoredForm& form,
                           const ValueTransformer& reader);

// Writes values again whose form is not the one that the transformer writes now. Each gets a new
// revision, as with upstream's storage migration: a value cannot be changed under its revision.
// etcd's history has the former ones until it is compacted.
Result<void> rewrite_values(EtcdClient& client, const StoredForm& form,
                            const ReencodeObserver& observe, const std::stop_token& stop);

}  // namespace proa::store::etcd
