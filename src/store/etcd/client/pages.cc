#include "store/etcd/client/pages.h"

namespace proa::store::etcd {
namespace pages {

constexpr int64_t kPage = 500;
constexpr Duration kTimeout = std::chrono::seconds(10);

}  // namespace pages

Result<Revision> read_pages(EtcdClient& client, const std::string& begin, Revision at,
                            const std::function<Result<void>(const RangeResponse&)>& take) {
  const std::string end = KeyRange::prefix(begin).to;
  std::string from = begin;
  for (;;) {
    const RangeRequest request{
        .key = from, .range_end = end, .limit = pages::kPage, .revision = at.value};
    const Bytes answer = TRY(client.ask("KV/Range", write(request), pages::kTimeout));
    const RangeResponse page = TRY(read_range(answer.view()));
    if (at == Revision{}) at = {page.header.revision};
    TRY(take(page));
    if (!page.more || page.kvs.empty()) return at;
    from = std::string(page.kvs.back().key) + '\0';
  }
}

}  // namespace proa::store::etcd
