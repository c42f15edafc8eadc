// A persistent thread pool. Lives in the baseline translation unit: instruction-set specific files never
// include it.
#pragma once

#include <cstdint>
#include <utility>

namespace truegrade {

using ChunkBody = void (*)(void* context, std::int64_t chunk);

/// Runs body(context, chunk) for chunk = 0 .. chunks-1 on at most `threads` threads, the caller's among them.
/// Which thread takes which chunk is not fixed, so a chunk's result may depend on nothing but the chunk.
/// A call made while another one is running does its own work alone instead of waiting. The first exception
/// that leaves a body goes to the caller, once all threads have stopped.
void parallel_for(int threads, std::int64_t chunks, ChunkBody body, void* context);

template <class Body>
void parallel_for(int threads, std::int64_t chunks, Body&& body) {
  auto call = [](void* context, std::int64_t chunk) {
    (*static_cast<std::remove_reference_t<Body>*>(context))(chunk);
  };
  parallel_for(threads, chunks, static_cast<ChunkBody>(call), &body);
}

/// How many pieces a sweep over ratings is cut into. Depends on the data alone, never on the number of
/// threads: sums are added up piece by piece in order, so every thread count gives the same bits. Each piece
/// holds a copy of the annotators' sums, hence the second argument.
std::int64_t chunk_count(std::int64_t ratings, std::int64_t annotators);

/// The first instance of piece `chunk` of `chunks`, pieces holding about equally many ratings.
/// @param instance_ptr (M+1,): where each instance's ratings begin
std::int64_t chunk_begin(const std::int64_t* instance_ptr, std::int64_t instances, std::int64_t chunk,
                         std::int64_t chunks);

}  // namespace truegrade
