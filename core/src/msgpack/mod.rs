//! The msgpack wire form of values (V70 to V90).
