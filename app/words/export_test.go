package words

// LoadFrom reads a catalogue from other files than the program's.
var LoadFrom = load
