#pragma once

#include <functional>
#include <string>

#include "store/etcd/client/etcd_client.h"
#include "store/etcd/wire/messages.h"
#include "store/store.h"

namespace proa::store::etcd {

// Reads all keys that begin so, some at a time, as they are at one revision, which is returned;
// zero: the current one. Not on the client's loop.
Result<Revision> read_pages(EtcdClient& client, const std::string& begin, Revision at,
                            const std::function<Result<void>(const RangeResponse&)>& take);

}  // namespace proa::store::etcd
