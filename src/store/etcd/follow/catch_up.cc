#include "store/etcd/follow/catch_up.h"

namespace proa::store::etcd {
namespace catch_up {

constexpr std::string_view kFirstKey("\0", 1);
// The watch is usually faster than a question about its progress.
constexpr Duration kUsualDelay = std::chrono::milliseconds(20);

}  // namespace catch_up

void CatchUp::ask(Done done) {
  {
    MutexLock lock(mutex_);
    waiting_.push_back(std::move(done));
    if (asking_) return;
    asking_ = true;
  }
  send();
}

void CatchUp::send() {
  std::vector<Done> asked;
  {
    MutexLock lock(mutex_);
    asked.swap(waiting_);
    asking_ = !asked.empty();
    if (!asking_) return;
  }
  parts_.client.start("KV/Range",
                      write(RangeRequest{.key = catch_up::kFirstKey, .count_only = true}), timeout_,
                      [this, asked = std::move(asked)](const Result<Bytes>& answer) mutable {
                        answered(std::move(asked), answer);
                      });
}

void CatchUp::answered(std::vector<Done> asked, const Result<Bytes>& answer) {
  Result<RangeResponse> range = answer.ok() ? read_range(answer->view())
                                            : Result<RangeResponse>(store_failure(answer.status()));
  if (!range.ok()) {
    for (const Done& done : asked) done(range.status());
  } else {
    const Revision wanted{range->header.revision};
    parts_.cache.when_reached(wanted, parts_.client.clock().steady() + timeout_,
                              [asked = std::move(asked)](const Result<void>& reached) {
                                for (const Done& done : asked) done(reached);
                              });
    if (parts_.cache.revision() < wanted) {
      parts_.client.after(catch_up::kUsualDelay, [this, wanted] {
        if (parts_.cache.revision() < wanted) parts_.follower.request_progress();
      });
    }
  }
  // For those who asked meanwhile.
  send();
}

}  // namespace proa::store::etcd
