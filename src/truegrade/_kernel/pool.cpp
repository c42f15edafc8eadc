#include "pool.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace truegrade {
namespace {

class Pool {
 public:
  /// Whether the caller may run a job: one at a time. Who may, ends with release().
  bool acquire() { return !busy_.exchange(true, std::memory_order_acquire); }
  void release() { busy_.store(false, std::memory_order_release); }

  void run(int threads, std::int64_t chunks, ChunkBody body, void* context) {
    grow(threads - 1);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      body_ = body;
      context_ = context;
      chunks_ = chunks;
      next_.store(0, std::memory_order_relaxed);
      wanted_ = threads - 1;
      ++generation_;
    }
    wake_.notify_all();
    work();
    std::unique_lock<std::mutex> lock(mutex_);
    wanted_ = 0;  // a worker that has not woken yet need not
    done_.wait(lock, [this] { return active_ == 0; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  // Where the system gives no more threads, those that are there do the work.
  void grow(int workers) {
    try {
      for (; workers_ < workers; ++workers_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
    }
  }

  // Nothing may leave a thread by an exception: the first one waits for the caller, and no more chunks begin.
  void work() {
    try {
      for (std::int64_t chunk; (chunk = next_.fetch_add(1)) < chunks_;) body_(context_, chunk);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_.store(chunks_);
    }
  }

  void serve() {
    std::uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return generation_ != seen && wanted_ > 0; });
      seen = generation_;
      --wanted_;
      ++active_;
      lock.unlock();
      work();
      lock.lock();
      if (--active_ == 0) done_.notify_one();
    }
  }

  std::atomic<bool> busy_{false};
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  ChunkBody body_ = nullptr;
  void* context_ = nullptr;
  std::int64_t chunks_ = 0;
  std::atomic<std::int64_t> next_{0};
  std::exception_ptr error_;
  std::uint64_t generation_ = 0;
  int workers_ = 0, wanted_ = 0, active_ = 0;
};

// Never destroyed: its threads are detached and may outlive static destructors. A forked child has none of
// its parent's threads, and perhaps a lock that one of them held, so it leaves that pool and starts one of
// its own.
std::atomic<Pool*> shared_pool{nullptr};
const int forgets_at_fork = pthread_atfork(nullptr, nullptr, [] { shared_pool.store(nullptr); });

Pool& pool() {
  Pool* found = shared_pool.load();
  if (!found) {
    Pool* made = new Pool;
    if (shared_pool.compare_exchange_strong(found, made)) return *made;
    delete made;  // another thread was faster
  }
  return *found;
}

}  // namespace

void parallel_for(int threads, std::int64_t chunks, ChunkBody body, void* context) {
  threads = static_cast<int>(std::min<std::int64_t>(threads, chunks));
  if (threads > 1) {
    Pool& workers = pool();
    if (workers.acquire()) {
      struct Release {
        Pool& held;
        ~Release() { held.release(); }
      } release{workers};
      return workers.run(threads, chunks, body, context);
    }
  }
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) body(context, chunk);
}

std::int64_t chunk_count(std::int64_t ratings, std::int64_t annotators) {
  const std::int64_t worth_it = ratings / 4096;  // a smaller piece costs more than it saves
  const std::int64_t affordable =
      ratings / (annotators + 1) / 2;  // copies of the annotators' sums stay small
  return std::clamp<std::int64_t>(std::min(worth_it, affordable), 1, 64);
}

std::int64_t chunk_begin(const std::int64_t* instance_ptr, std::int64_t instances, std::int64_t chunk,
                         std::int64_t chunks) {
  if (chunk >= chunks) return instances;
  const std::int64_t ratings = instance_ptr[instances];
  const std::int64_t target = ratings / chunks * chunk + ratings % chunks * chunk / chunks;
  return std::lower_bound(instance_ptr, instance_ptr + instances, target) - instance_ptr;
}

}  // namespace truegrade
